-- What you say of the tables of old.sql, and all that you write.  Country 125; customers are entity 3,
-- orders 1 and events 2.  Customers are few and live for ever: they get no partitions.

CALL migration.move('customers', country => '125', entity => '3', at => 'created_at', renamed => '{"id": "uuid"}');

-- The months are named, and not computed from the data: one wrong created_at would make hundreds.
CALL migration.move('orders', country => '125', entity => '1', at => 'created_at', monthly_from => '2025-11-01 00:00+00',
	renamed => '{"id": "number", "customer_id": "customer_uuid"}');

-- The time of a UUID of version 7 is in it.
CALL migration.move('order_events', country => '125', entity => '2', monthly_from => '2025-11-01 00:00+00',
	renamed => '{"id": "uuid", "order_id": "order_number"}');

-- Receipts keep their number, and get a column order_iuid.
CALL migration.keep('receipts');

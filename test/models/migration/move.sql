-- What one says of tables.sql.
CALL migration.move('teams', country => '125', entity => '10', at => 'founded');
CALL migration.move('accounts', country => '125', entity => '11', at => $$opened AT TIME ZONE 'Asia/Almaty'$$);
CALL migration.move('invoices', country => '125', entity => '12', at => 'created_at', monthly_from => '2025-12-01 00:00+00');
CALL migration.move('invoice_lines', country => '125', entity => '13', at => 'created_at', monthly_from => '2025-12-01 00:00+00');
CALL migration.move('readings', country => '125', entity => '14', at => 'created_at', monthly_from => '2025-12-01 00:00+00');
CALL migration.move('documents', country => '125', entity => '15', at => $$filed::timestamp AT TIME ZONE 'UTC'$$);

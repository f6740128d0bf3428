-- A second table of each country, which refers to the orders; at each node, as the role shop.
CREATE TABLE trips (
	id iuid PRIMARY KEY DEFAULT gen_iuid(3),
	order_id iuid NOT NULL REFERENCES orders,
	km int NOT NULL
) PARTITION BY RANGE (id iuid_origin_ops);
CREATE INDEX ON trips (order_id);
SELECT iuid_create_routed_partitions('trips', 3);
SELECT iuid_create_global_table('trips_global', 'trips', 3);
SELECT iuid_create_global_view('trips_all', 'trips');

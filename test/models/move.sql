-- A second table of each country, which refers to the orders, with keys of type uuid; at each node, as
-- the role shop.
CREATE TABLE trips (
	id uuid PRIMARY KEY DEFAULT gen_iuid(3) CHECK (iuid_is_valid(id)),
	order_id uuid NOT NULL REFERENCES orders,
	km int NOT NULL
) PARTITION BY RANGE (id uuid_origin_ops);
CREATE INDEX ON trips (order_id);
SELECT iuid_create_routed_partitions('trips', 3);
SELECT iuid_create_global_table('trips_global', 'trips', 3);
SELECT iuid_create_global_view('trips_all', 'trips');

-- The measurements of one benchmark on one server version, as a table.
\pset border 2
\pset footer off
SELECT count(*) > 0 AS measured FROM bench.measurement WHERE benchmark = :'name' AND major = :major \gset
\if :measured
	SELECT work, way, median, spread, unit, ratio FROM bench.report WHERE benchmark = :'name' AND major = :major ORDER BY work_place, place;
\endif

-- The measurements of one benchmark, as a table.
\pset border 2
\pset footer off
SELECT count(*) > 0 AS measured FROM bench.measurement WHERE benchmark = :'name' \gset
\if :measured
	SELECT work, way, median, spread, unit, ratio FROM bench.report WHERE benchmark = :'name' ORDER BY work_place, place;
\endif

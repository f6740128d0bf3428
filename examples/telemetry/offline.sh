#!/bin/sh
# Telemetry: an offline copy of what is old, and how it is read again.
#
#   sh offline.sh out FOLDER           each table that set_aside() has detached goes into a file, and is
#                                      dropped when the file has all its rows, and is on the disk;
#                                      a file of that name with other rows is an error, and stays
#   sh offline.sh back FILE TREE       the file is a partition of events, or of late_events, again
#
# psql finds the database by its environment, and the tables by search_path (PGOPTIONS).  A table and
# its file have the bounds of the partition in their name: events_20260101t0000z_20260201t0000z.tsv.
# Killed anywhere, the same call goes on.
#
# What comes back has the defaults in columns that were added meanwhile.
#
# A device that was deleted while its late events were away is there again with them, and has its
# late_until.  Their tenant must be there, and have their country: otherwise nothing comes back.
#
# An event that was sent again while its partition was away is there twice when the partition is
# back, which then says so.  It is what was written first.  The others, which DELETE can remove:
#   SELECT * FROM late_events AS l WHERE EXISTS (SELECT FROM all_events AS e WHERE e.id = l.id AND e.written < l.written)
set -eu

ask() { psql -XAt -v ON_ERROR_STOP=1 "$@"; }

case ${1:-} in
	out)
		tables=$(ask -c "SELECT c.oid::regclass FROM pg_class AS c
				WHERE relkind = 'r' AND NOT relispartition AND pg_table_is_visible(oid)
				AND relname ~ '^(late_)?events(_\d{8}t\d{4}z){2}\$' ORDER BY relname")
		for table in $tables; do
			new=$2/$table.new file=$2/$table.tsv
			columns=$(ask -c "SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
				WHERE attrelid = '$table'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''")
			copied=$(ask -c "\\copy (SELECT $columns FROM $table ORDER BY id, written) TO '$new' (HEADER)")
			[ "$copied" = "COPY $(ask -c "SELECT count(*) FROM $table")" ]
			sync "$new"
			if [ -e "$file" ] && ! cmp -s "$new" "$file"; then
				rm "$new"
				echo "offline.sh: $file has other rows than $table, which stays: take another folder" >&2
				exit 1
			fi
			mv "$new" "$file"
			sync "$2"
			ask -q -c "DROP TABLE $table"
		done ;;
	back)
		table=$(basename "$2" .tsv) tree=$3
		bounds=${table#"${table%_*_*}_"} devices=
		# The names of the first line, each in quotes.
		columns=$(head -n 1 "$2" | sed 's/"/""/g; s/\t/", "/g; s/.*/"&"/')
		# The locks are those of ATTACH PARTITION, in its order.  Taken after those of the devices, they
		# could end in a deadlock with a batch.
		case $table in
			late_*) devices="LOCK TABLE ONLY $tree IN SHARE UPDATE EXCLUSIVE MODE;
				LOCK TABLE devices IN SHARE ROW EXCLUSIVE MODE;
				INSERT INTO devices AS d (tenant, device, country, late_until)
				SELECT tenant, device, iuid_country(id), later(date_trunc('day', max(iuid_timestamp(written)), 'UTC'), '1 day')
				FROM $table GROUP BY 1, 2, 3
				ON CONFLICT (tenant, device) DO UPDATE
				SET country = excluded.country, late_until = greatest(d.late_until, excluded.late_until)
				WHERE d.country <> excluded.country OR coalesce(d.late_until < excluded.late_until, true)" ;;
		esac
		ask -q -1 -c "CREATE TABLE $table (LIKE $tree INCLUDING ALL)" \
			-c "\\copy $table ($columns) FROM '$2' (HEADER)" \
			-c "$devices" \
			-c "ALTER TABLE $tree ATTACH PARTITION $table
				FOR VALUES FROM (iuid_floor('${bounds%_*}')) TO (iuid_floor('${bounds#*_}'))"
		ask -c "SELECT 'events that are there twice: ' || count(*) FROM $table AS t
			WHERE EXISTS (SELECT FROM all_events AS e WHERE e.id = t.id AND e.written <> t.written)
			HAVING count(*) > 0" ;;
	*)
		echo "usage: offline.sh out FOLDER, or offline.sh back FILE TREE" >&2
		exit 2 ;;
esac

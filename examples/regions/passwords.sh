#!/bin/sh
#
# sh passwords.sh FOLDER makes a password for each role of this example, in two files there, which
# only their owner can read.
#
# psql reads passwords.sql before each file that needs a password.  So they are in no argument of a
# process, and the settings keep them out of the log and of pg_stat_statements.  pgpass has the lines
# for ~/.pgpass of who comes in as shop, desk or mover.

set -eu

cd "$1"
umask 077

cat >passwords.sql <<-'END'
	SET log_min_messages = panic;
	SET pg_stat_statements.track = none;
END
: >pgpass
for role in shop desk mesh mover registry; do
	password=$(openssl rand -hex 16)
	echo "\\set $role '$password'" >>passwords.sql
	case $role in
		shop | desk | mover) echo "*:*:*:$role:$password" >>pgpass ;;
	esac
done

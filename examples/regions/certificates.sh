#!/bin/sh
#
# sh certificates.sh FOLDER HOST... makes a certificate for each host, by a certificate authority of
# its own, which is made first if the folder has none.
#
# HOST is a name or an address, as it stands in the option host of the foreign servers.  A node
# takes HOST.crt and HOST.key as its ssl_cert_file and ssl_key_file.  All nodes take root.crt, which
# the foreign servers name as sslrootcert.  Keep root.key, which signs further nodes, elsewhere.
#
# A role, such as mesh, can come in by a certificate in place of a password: make one with HOST = mesh.
# Each node has root.crt as ssl_ca_file, and "hostssl shop mesh all cert" as the first line of
# pg_hba.conf.  A superuser gives the user mapping sslcert, sslkey and password_required 'false' in
# place of the password, and leaves channel_binding out of the server.

set -eu

cd "$1"
shift
umask 077

new_key='-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -batch'

[ -f root.key ] ||
	openssl req -x509 $new_key -days 3650 -subj '/CN=nodes' -keyout root.key -out root.crt

for host; do
	case $host in
		*[!0-9.]*) kind=DNS ;;
		*) kind=IP ;;
	esac
	# With this name in it the certificate is good for that host and no other.
	echo "subjectAltName = $kind:$host" >"$host.cnf"
	openssl req -new $new_key -subj "/CN=$host" -keyout "$host.key" |
		openssl x509 -req -CA root.crt -CAkey root.key -CAcreateserial -days 3650 \
			-extfile "$host.cnf" -out "$host.crt"
	rm "$host.cnf"
done
chmod 644 ./*.crt

# A country moves (tools/iuid) with a subscription that uses the foreign server of the old
# node, so that its statement has neither a password nor a service.
use strict;
use warnings;

use lib 'test/t';
use Moves;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Programs;
use Regions;
use Test::More;

plan skip_all => 'SKIPPED: python3-psycopg is not installed' if lacks_psycopg();
plan skip_all => 'SKIPPED: before PostgreSQL 19 a subscription has no foreign server'
	if PostgreSQL::Test::Cluster->new('any')->pg_version < '19devel';

my %node = start_nodes_of_move();
my ($password) = slurp_file($ENV{PGPASSFILE}) =~ /:mover:(\w+)/;
at_machine('jakarta', qq{SET log_statement = none; SET log_min_error_statement = panic;
	CREATE USER MAPPING FOR CURRENT_USER SERVER almaty OPTIONS (user 'mover', password '$password')});
my $before = -s $node{jakarta}->logfile;
write_rows('almaty', 'before');
done('copy');
is(at_machine('jakarta', q{SELECT f.srvname, s.subconninfo
	FROM pg_subscription AS s JOIN pg_foreign_server AS f ON f.oid = s.subserver WHERE subname = 'moving_c235'}),
	'almaty|', 'the subscription has the server');
write_rows('almaty', 'followed');
my $confirmed = at('almaty', $rows);
done($_) for 'switch', 'finish';
is(at('jakarta', $rows), $confirmed, 'the rows have moved');
is(at_machine('jakarta', q{SELECT count(*) FROM pg_subscription WHERE subname = 'moving_c235'}),
	'0', 'the subscription has gone');
unlike(slurp_file($node{jakarta}->logfile, $before), qr/\Q$password\E|CONNECTION '/,
	'no way to the old node is in the log');
done_testing();

# examples/gateway hands each request on to the service of the node that the registry has for the
# identifier in the path, and no other request to any.
#
# One version is enough: the gateway takes nothing from the server but a file.
use strict;
use warnings;

use Cwd;
use HTTP::Tiny;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'SKIPPED: go is not installed' if system('command -v go >/dev/null');

# The page builds the gateway.
my $folder = PostgreSQL::Test::Utils::tempdir;
local @ENV{qw(HOME GOCACHE)} = ($folder, "$folder/cache");
my ($table, $export, $build) = slurp_file('examples/gateway/README.md') =~ /^```\w+\n(.*?)^```$/msg;
$build =~ s/^\.\/gateway \S+ (\S+) 10s\n//m or die;
my $services = "$folder/gateway/$1";
symlink cwd() . "/$_", "$folder/$_" or die for qw(examples clients);
system_or_bail('sh', '-ec', "cd $folder; $build");

# A service says its name and what it was asked.
append_to_file("$folder/service.py", <<'end');
import http.server
import sys

class Service(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"%s %s %s %s" % (sys.argv[1].encode(), self.command.encode(), self.path.encode(), body))
    do_GET = do_POST

server = http.server.HTTPServer(("127.0.0.1", 0), Service)
print(server.server_port, flush=True)
server.serve_forever()
end
my (%port, @programs);
END { local $?; eval { $_->kill_kill } for @programs }

sub start
{
	my ($out, @command) = ('', @_);
	push @programs, IPC::Run::start(\@command, '>', \$out, '2>', \my $err);
	return ($programs[-1], \$out);
}
for my $node (qw(almaty mexico spare))
{
	my ($program, $out) = start('python3', "$folder/service.py", $node);
	$program->pump until $$out =~ /^(\d+)$/m;
	($port{$node}) = $$out =~ /(\d+)/;
}

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION iuid_regions CASCADE;
	INSERT INTO iuid_nodes VALUES ('almaty', NULL, NULL), ('mexico', NULL, NULL), ('spare', NULL, NULL);
	INSERT INTO iuid_routes VALUES (125, NULL, 'almaty'), (157, NULL, 'mexico'), (157, 2, 'almaty'), (NULL, 3, 'mexico')});
$node->safe_psql('postgres', $table);
$node->safe_psql('postgres', "UPDATE services SET url = 'http://127.0.0.1:$port{almaty}' WHERE node = 'almaty';
	UPDATE services SET url = 'http://127.0.0.1:$port{mexico}' WHERE node = 'mexico';
	INSERT INTO services VALUES ('spare', 'http://127.0.0.1:$port{spare}')");

# The gateway with the registry as it is, and its address.
sub gateway
{
	export();
	return gateway_with($services, '127.0.0.1:' . PostgreSQL::Test::Cluster::get_free_port());
}

sub export
{
	local $ENV{PGHOST} = $node->host;
	local $ENV{PGPORT} = $node->port;
	local $ENV{PGDATABASE} = 'postgres';
	system_or_bail('sh', '-ec', "cd $folder; $export");
	return;
}

sub gateway_with
{
	my ($file, $address) = @_;
	start("$folder/gateway/gateway", $address, $file, '1s');
	for (1 .. 600)
	{
		last if HTTP::Tiny->new->get("http://$address/")->{status} == 404;
		select undef, undef, undef, 0.1;
	}
	return "http://$address";
}
my $gateway = gateway();

# What the server says of each of these, and where the gateway goes.
my $ids = q{
	SELECT gen_iuid(country, entity) AS id FROM unnest(ARRAY[125, 157, 0, 255]) AS country, unnest(ARRAY[0, 1, 2, 3, 255]) AS entity
	UNION ALL SELECT iuid_from_name(125, 2, 'x') UNION ALL SELECT iuid_from_name(9, 9, 'x')
	UNION ALL SELECT '00000000-0000-0000-0000-000000000000' UNION ALL SELECT 'ffffffff-ffff-ffff-ffff-ffffffffffff'};

sub compare
{
	my ($what) = @_;
	for my $line (split /\n/, $node->safe_psql('postgres', "SELECT id, iuid_node(id) FROM ($ids) AS x"))
	{
		my ($id, $expected) = split /\|/, $line;
		my $answer = HTTP::Tiny->new->get("$gateway/v1/orders/$id/events?x=1");
		if ($expected eq '') { is($answer->{status}, 404, "$what: no service for $id") }
		else { is($answer->{content}, "$expected GET /v1/orders/$id/events?x=1 ", "$what: $id") }
	}
}
compare('the first routes');
my $id = $node->safe_psql('postgres', 'SELECT gen_iuid(157, 1)');
is(HTTP::Tiny->new->post("$gateway/$id", { content => 'a body' })->{content}, "mexico POST /$id a body", 'method and body');
is(HTTP::Tiny->new->get("$gateway/\U$id")->{content}, "mexico GET /\U$id\E ", 'another form of the identifier');
for my $path ('', '/', '/orders', '/orders/1', '/019b76da-a87b-407d-8041-23456789abcd')
{
	is(HTTP::Tiny->new->get("$gateway$path")->{status}, 404, "'$path' is no service's");
}

$node->safe_psql('postgres', q{UPDATE iuid_routes SET node = 'spare' WHERE country = 157; INSERT INTO iuid_routes VALUES (NULL, NULL, 'almaty')});
$gateway = gateway();
compare('other routes');
$programs[2]->kill_kill;
is(HTTP::Tiny->new->get("$gateway/$id")->{status}, 502, 'a service that is down');
my $of_mexico = $node->safe_psql('postgres', 'SELECT gen_iuid(9, 3)');
$programs[1]->signal('STOP');
is(HTTP::Tiny->new->get("$gateway/$of_mexico")->{status}, 502, 'a service that hangs');
$programs[1]->signal('CONT');
is(HTTP::Tiny->new->get("$gateway/$of_mexico")->{content}, "mexico GET /$of_mexico ", 'and goes on');

# Two gateways, each of which has the other one for a service.
my @addresses = map { '127.0.0.1:' . PostgreSQL::Test::Cluster::get_free_port() } 1, 2;
append_to_file("$folder/$_.csv", "125,,http://$addresses[1 - $_]\n") for 0, 1;
gateway_with("$folder/$_.csv", $addresses[$_]) for 0, 1;
my $of_almaty = $node->safe_psql('postgres', 'SELECT gen_iuid(125, 1)');
is(HTTP::Tiny->new->get("http://$addresses[0]/$of_almaty")->{status}, 508, 'gateways hand no request on to each other');

# Files that are no copy of the registry.
sub refuses
{
	my ($what, $error, @arguments) = @_;
	my $ended = IPC::Run::run(["$folder/gateway/gateway", @arguments], '>', \my $out, '2>', \my $err, IPC::Run::timeout(60));
	ok(!$ended, "$what: the gateway does not start");
	like($err, $error, "$what: and says why");
	return;
}
$node->safe_psql('postgres', q{DELETE FROM services WHERE node = 'spare'});
export();
refuses('a node without a service', qr/157,,: .*empty url/, '127.0.0.1:0', $services, '1s');
append_to_file("$folder/empty.csv", '');
refuses('an empty file', qr/no services/, '127.0.0.1:0', "$folder/empty.csv", '1s');
refuses('no arguments', qr/usage/);

$node->stop;
done_testing();

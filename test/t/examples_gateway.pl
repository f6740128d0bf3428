# examples/gateway hands each request on to the service of the node that the registry has for the
# identifier in the path, and no other request to any.
#
# One version is enough: the gateway takes nothing from the server but a file.
use strict;
use warnings;

use Cwd;
use HTTP::Tiny;
use IO::Select;
use IO::Socket;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'SKIPPED: go is not installed' if system('command -v go >/dev/null');

# The page builds the gateway.
my $folder = PostgreSQL::Test::Utils::tempdir;
local @ENV{qw(HOME GOCACHE)} = ($folder, "$folder/cache");
my ($table, $export, $build) = slurp_file('examples/gateway/README.md') =~ /^```\w+\n(.*?)^```$/msg;
$build =~ s/^\.\/gateway \S+ (\S+) 10s 1h\n//m or die;
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
	return gateway_with($services, free_address(), @_);
}

sub free_address { return '127.0.0.1:' . PostgreSQL::Test::Cluster::get_free_port() }

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
	my ($file, $address, $timeout, $limit) = @_;
	start("$folder/gateway/gateway", $address, $file, $timeout // '60s', $limit // '1h');
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
	SELECT gen_iuid(country, entity) AS id
	FROM unnest(ARRAY[125, 157, 0, 255]) AS country, unnest(ARRAY[0, 1, 2, 3, 255]) AS entity
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
is(HTTP::Tiny->new->post("$gateway/$id", { content => 'a body' })->{content},
	"mexico POST /$id a body", 'method and body');
is(HTTP::Tiny->new->get("$gateway/\U$id")->{content}, "mexico GET /\U$id\E ", 'another form of the identifier');
for my $path ('', '/', '/orders', '/orders/1', '/019b76da-a87b-407d-8041-23456789abcd')
{
	is(HTTP::Tiny->new->get("$gateway$path")->{status}, 404, "'$path' is no service's");
}

$node->safe_psql('postgres', q{UPDATE iuid_routes SET node = 'spare' WHERE country = 157;
	INSERT INTO iuid_routes VALUES (NULL, NULL, 'almaty')});
$gateway = gateway();
compare('other routes');
$programs[2]->kill_kill;
is(HTTP::Tiny->new->get("$gateway/$id")->{status}, 502, 'a service that is down');
my $of_mexico = $node->safe_psql('postgres', 'SELECT gen_iuid(9, 3)');
$programs[1]->signal('STOP');
is(HTTP::Tiny->new->get(gateway('1s') . "/$of_mexico")->{status}, 502, 'a service that hangs');
$programs[1]->signal('CONT');
is(HTTP::Tiny->new->get("$gateway/$of_mexico")->{content}, "mexico GET /$of_mexico ", 'and goes on');

# Two gateways, each of which has the other one for a service.
my @addresses = (free_address(), free_address());
append_to_file("$folder/$_.csv", "125,,http://$addresses[1 - $_]\n") for 0, 1;
gateway_with("$folder/$_.csv", $addresses[$_]) for 0, 1;
my $of_almaty = $node->safe_psql('postgres', 'SELECT gen_iuid(125, 1)');
is(HTTP::Tiny->new->get("http://$addresses[0]/$of_almaty")->{status}, 508, 'gateways hand no request on to each other');

# What comes through, byte for byte: the test is the client and the service.
$SIG{PIPE} = 'IGNORE';
my $service = IO::Socket::INET->new(Listen => 5, LocalAddr => '127.0.0.1') or die;
my $host = '127.0.0.1:' . $service->sockport;
append_to_file("$folder/here.csv", ",,http://$host/base\n");
my $here = gateway_with("$folder/here.csv", free_address());

sub client
{
	my ($url, $text) = @_;
	my $socket = IO::Socket::INET->new(PeerAddr => $url =~ s/http:\/\///r) or die;
	$socket->print($text =~ s/\n/\r\n/gr);
	return $socket;
}

# The service's end of a request, or nothing when the client has its answer without one.
sub served
{
	my ($client) = @_;
	my ($ready) = IO::Select->new($client, $service)->can_read(60) or die 'the gateway does nothing';
	return $ready == $service ? scalar $service->accept : undef;
}

# What comes on a connection up to the end of it, or of the text.
sub text
{
	my ($socket, $end) = @_;
	my $text = '';
	until (defined $end && $text =~ /\Q$end\E$/)
	{
		return "$text, and does not end" unless IO::Select->new($socket)->can_read(60);
		sysread($socket, $text, 1 << 16, length $text) or last;
	}
	return $text =~ s/\r\n/\n/gr;
}

# What the service gets, if anything, and the status that the client gets.
sub ask
{
	my ($request, $headers, $status) = @_;
	my $client = client($here, "$request HTTP/1.1\nHost: client\nConnection: close\n$headers\n");
	my $asked = '';
	if (my $served = served($client))
	{
		$asked = text($served, "\r\n\r\n");
		$served->print("HTTP/1.1 $status -\r\n\r\n");
		$served->close;
	}
	return ($asked, text($client) =~ /^HTTP\/1\.1 (\d+)/ ? $1 : 'nothing');
}

sub passes
{
	my ($request, $asked, $what, $headers, @kept) = @_;
	my @lines = split /\n/, (ask($request, $headers // '', 200))[0];
	is_deeply([sort @lines],
		[sort "$asked HTTP/1.1", "Host: $host", 'Via: 1.1 iuid-gateway', 'X-Forwarded-For: 127.0.0.1', @kept], $what);
	return;
}

sub refused
{
	my ($request, $status, $what, $headers) = @_;
	is_deeply([ask($request, $headers // '', 200)], ['', $status], $what);
	return;
}

for my $path ("/$id", "/a..b/$id", "/.../$id", "/x%2F$id", "/$id/a%2fb", "/$id?x=/../y", "/$id/$of_almaty/",
	"/$id/%252e%252e/")
{
	passes("GET $path", "GET /base$path", $path);
}
passes("GET http://client/$id", "GET /base/$id", 'an absolute URL');
for my $path ("/../$id", "/x/../$id", "/$id/..", "/%2e%2E/$id", "/.%2e/$id", "/..%2f$id", "/x%2F../$id",
	"/x\\..\\y/$id", "/x%5c..%5cy/$id", "/..;/$id", "/$id/..;x=1/y")
{
	refused("GET $path", 400, "$path leaves the folder of the service");
}
passes("$_ /$id", "$_ /base/$id", $_) for qw(DELETE OPTIONS QUERY);
refused("$_ /$id", 501, $_) for qw(CONNECT TRACE);

my @claims = map { "$_: client\n" } qw(Forwarded X-Forwarded X-Forwarded-For x-forwarded-host X-Forwarded-Proto
	X_Forwarded_For X.Forwarded.For X-Real-IP X_Real_IP);
passes("GET /$id", "GET /base/$id", 'no address or host is what a client says', join('', @claims, "X-Other: x\n"),
	'X-Other: x');
passes("GET /$id", "GET /base/$id", 'a client takes out no header of the gateway',
	"Connection: Via, X-Forwarded-For, X-Named\nX-Named: x\n");
passes("GET /$id", "GET /base/$id", 'no other protocol', "Connection: Upgrade\nUpgrade: h2c\n");
passes("GET /$id", "GET /base/$id", "Via: $_", "Via: $_\n", "Via: $_")
	for '1.1 iuid-gateway-x', '1.1 x1.1 iuid-gateway';
refused("GET /$id", 508, "Via: $_", "Via: $_\n")
	for '1.1 iuid-gateway', '1.0 x,1.1 iuid-gateway , 1.1 y', "1.1 x\nVia: 1.1 iuid-gateway";
is((ask("GET /$id", '', $_))[1], 502, "a service that answers $_") for qw(000 099);

# Who keeps the gateway waiting is cut, and who is slow is not.
my $hasty = gateway_with("$folder/here.csv", free_address(), '2s');
my $short = gateway_with("$folder/here.csv", free_address(), '60s', '3s');
my $start = "PUT /$id HTTP/1.1\nHost: client\nConnection: close\nContent-Length: 100000000\n";
my $deaf = client($hasty, "$start\n");
my $heard = served($deaf);
$deaf->blocking(0);
for (1 .. 3000)
{
	last if IO::Select->new($deaf)->can_read(0.02);
	syswrite $deaf, 'x' x 100000;
}
like(text($deaf, "\r\n\r\n"), qr/^HTTP\/1.1 502 /, 'a service that does not read the request');
unlike(text(client($hasty, $_)), qr/does not end/, "a client that stops after '$_'") for '', $start;
my $silent = client($short, "$start\n");
$heard = served($silent);
unlike(text($silent), qr/does not end/, 'a client that does not send its body');
my $idle = client($short, "GET /$id HTTP/1.1\nHost: client\n\n");
$heard = served($idle);
text($heard, "\r\n\r\n");
$heard->print("HTTP/1.1 200 OK\r\n\r\n");
1 while IO::Select->new($heard)->can_write(60) && syswrite $heard, 'x' x 1000;
ok($!{EPIPE} || $!{ECONNRESET}, 'a client that does not take its answer');
my $broken = client($short, "GET /$id HTTP/1.1\nHost: client\n\n");
$heard = served($broken);
text($heard, "\r\n\r\n");
$heard->print("HTTP/1.1 200 OK\r\n\r\nx");
unlike(text($broken), qr/does not end/, 'a service that does not end its answer');

my $steady = gateway_with("$folder/here.csv", free_address(), '3s');
my $slow = client($steady, "PUT /$id HTTP/1.1\nHost: client\nConnection: close\nContent-Length: 5\n\n");
$heard = served($slow);
$slow->print($_) and sleep 1 for 1 .. 5;
like(text($heard, '12345'), qr/\n\n12345$/, 'a slow request');
$heard->print("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
$heard->print($_) and sleep 1 for 1 .. 5;
like(text($slow), qr/^HTTP\/1.1 200 .*\n\n12345$/s, 'a slow answer');

# Files that are no copy of the registry.
sub refuses
{
	my ($what, $error, @arguments) = @_;
	my $ended = IPC::Run::run(["$folder/gateway/gateway", @arguments], '>', \my $out, '2>', \my $err,
		IPC::Run::timeout(60));
	ok(!$ended, "$what: the gateway does not start");
	like($err, $error, "$what: and says why");
	return;
}
$node->safe_psql('postgres', q{DELETE FROM services WHERE node = 'spare'});
export();
refuses('a node without a service', qr/157,,: /, '127.0.0.1:0', $services, '1s', '1h');
append_to_file("$folder/empty.csv", '');
refuses('an empty file', qr/no services/, '127.0.0.1:0', "$folder/empty.csv", '1s', '1h');
for my $line ((map { "125,,$_" } '/base', 'orders:8080', 'ftp://h', 'http://', 'http:///base', 'http://:80',
	'http://h:80800', 'http://me@h', 'http://h?x', 'http://h?', 'http://h#x', 'http://h/%'),
	"256,,http://h", "-1,,http://h", "x,,http://h", "125,256,http://h", "0125,,http://h", "125,,http://h\n125,,http://i")
{
	unlink "$folder/line.csv";
	append_to_file("$folder/line.csv", "$line\n");
	refuses($line, qr/\Q${\($line =~ s{.*\n}{}r)}/, '127.0.0.1:0', "$folder/line.csv", '1s', '1h');
}
for my $time (qw(0 0s -1s x))
{
	refuses("TIMEOUT $time", qr/"$time"/, '127.0.0.1:0', "$folder/here.csv", $time, '1h');
	refuses("LIMIT $time", qr/"$time"/, '127.0.0.1:0', "$folder/here.csv", '1s', $time);
}
refuses('no arguments', qr/usage/);

$node->stop;
done_testing();

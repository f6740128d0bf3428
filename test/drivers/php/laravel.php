<?php
// Only newest: Debian 12 has Laravel 8.
require 'checks.php';
require 'Illuminate/Database/autoload.php';

use Illuminate\Database\Capsule\Manager;
use Illuminate\Database\Eloquent\Model;
use Illuminate\Database\Query\Expression;
use Illuminate\Database\Schema\Blueprint;

class Order extends Model
{
    protected $guarded = [];
    protected $keyType = 'string';
    public $timestamps = false;
}

class Line extends Model
{
    protected $guarded = [];
    public $timestamps = false;

    public function order()
    {
        return $this->belongsTo(Order::class);
    }
}

$manager = new Manager();
$manager->addConnection(['driver' => 'pgsql', 'host' => '127.0.0.1', 'port' => getenv('PGPORT'),
    'username' => getenv('PGUSER'), 'database' => getenv('PGDATABASE')]);
$manager->bootEloquent();
$connection = $manager->getConnection();

function scalar(string $sql, mixed ...$parameters): mixed
{
    return $GLOBALS['connection']->scalar($sql, $parameters);
}

function inRange(string $bound): bool
{
    return Order::whereRaw("id >= $bound AND id < $bound", [BEGIN, END])->count() === 2;
}

function country(string $call): bool
{
    return scalar("SELECT iuid_country($call)", 125, 1) === 125;
}

report('version', version('php-illuminate-database') . ', PHP ' . PHP_VERSION);
check('table', function () use ($connection) {
    $connection->getSchemaBuilder()->create('orders', function (Blueprint $table) {
        $table->rawColumn('id', 'iuid')->default(new Expression('gen_iuid(125, 1)'))->primary();
        $table->text('note')->nullable();
    });
    return scalar("SELECT atttypid::regtype::text FROM pg_attribute WHERE attrelid = 'orders'::regclass AND attname = 'id'");
});
check('default', fn () => Order::where('id', Order::create()->id)->count() === 1);
check('UUID', function () {
    Order::create(['id' => A, 'note' => 'A']);
    Order::create(['id' => B, 'note' => 'B']);
    return scalar("SELECT id::text FROM orders WHERE note = 'A'") === A;
});
check('look-up', fn () => lookUp(fn () => Order::find(A)->note === 'A'));
check('IN', fn () => Order::whereIn('id', [A, B])->count() === 2);
check('= ANY', fn () => Order::whereRaw('id = ANY (?)', ['{' . A . ',' . B . '}'])->count() === 2);
check('reads as', fn () => kind(Order::firstWhere('note', 'A')->id));
check('array', fn () => kind(scalar('SELECT array_agg(id) FROM orders')));
report('COPY text', '–');
report('COPY binary', '–');
check('id >= $1', fn () => Order::where('id', '>=', new DateTime(BEGIN))->count() === 3);
check('id >= iuid_floor($1)', fn () => inRange('iuid_floor(?)'));
check('id >= $1::timestamptz', fn () => inRange('?::timestamptz'));
check('gen_iuid($1, $2)', fn () => country('gen_iuid(?, ?)'));
check('gen_iuid($1::int, $2::int)', fn () => country('gen_iuid(?::int, ?::int)'));
check('join over a foreign key', function () use ($connection) {
    $connection->getSchemaBuilder()->create('lines', function (Blueprint $table) {
        $table->id();
        $table->rawColumn('order_id', 'iuid');
        $table->foreign('order_id')->references('id')->on('orders');
    });
    Line::create(['order_id' => A]);
    return Line::whereRelation('order', 'note', 'A')->with('order')->first()->order->id === A;
});

<?php
// Only newest: Debian 12 has DBAL 3.
require 'checks.php';
require 'Doctrine/DBAL/autoload.php';

use Doctrine\DBAL\ArrayParameterType;
use Doctrine\DBAL\Configuration;
use Doctrine\DBAL\DriverManager;
use Doctrine\DBAL\Schema\Schema;

$type = 'guid';
$default = 'gen_iuid(125, 1)';
$configuration = new Configuration();
$parameters = ['driver' => 'pdo_pgsql', 'host' => '127.0.0.1', 'port' => (int) getenv('PGPORT'),
    'user' => getenv('PGUSER'), 'dbname' => getenv('PGDATABASE')];
$connection = DriverManager::getConnection($parameters, $configuration);
// SET-UP
if (class_exists('IuidType', false)) {
    $type = 'iuid';
    $default = new GenIuid();
}

function scalar(string $sql, mixed ...$parameters): mixed
{
    return $GLOBALS['connection']->fetchOne($sql, $parameters);
}

function inRange(string $bound): bool
{
    return scalar("SELECT count(*) FROM orders WHERE id >= $bound AND id < $bound", BEGIN, END) === 2;
}

function country(string $call): bool
{
    return scalar("SELECT iuid_country($call)", 125, 1) === 125;
}

/** The schema of an application. */
function schema(mixed $default): Schema
{
    $schema = new Schema();
    $table = $schema->createTable('orders');
    $table->addColumn('id', $GLOBALS['type'], ['default' => $default]);
    $table->addColumn('note', 'text', ['notnull' => false]);
    $table->setPrimaryKey(['id']);
    return $schema;
}

/** What a migration would do to the table that SQL made. */
function difference(mixed $default): string
{
    $manager = $GLOBALS['connection']->createSchemaManager();
    $difference = $manager->createComparator()->compareSchemas($manager->introspectSchema(), schema($default));
    $statements = $GLOBALS['connection']->getDatabasePlatform()->getAlterSchemaSQL($difference);
    return implode('; ', $statements) ?: 'no change';
}

function typeOfColumn(): string|false
{
    return scalar("SELECT atttypid::regtype::text FROM pg_attribute WHERE attrelid = to_regclass('orders') AND attname = 'id'");
}

report('version', version('php-doctrine-dbal') . ', PHP ' . PHP_VERSION);
check('table', function () use ($connection, $default) {
    $connection->createSchemaManager()->createSchemaObjects(schema($default));
    return typeOfColumn();
});
if (typeOfColumn() !== 'iuid') {
    $connection->executeStatement('DROP TABLE IF EXISTS orders');
    $connection->executeStatement(CREATE);
}
check('default', fn () => scalar('INSERT INTO orders DEFAULT VALUES RETURNING iuid_country(id)') === 125);
check('UUID', function () use ($connection, $type) {
    $connection->insert('orders', ['id' => A, 'note' => 'A'], ['id' => $type]);
    $connection->insert('orders', ['id' => B, 'note' => 'B'], ['id' => $type]);
    return scalar("SELECT id::text FROM orders WHERE note = 'A'") === A;
});
check('look-up', fn () => lookUp(fn () => scalar('SELECT note FROM orders WHERE id = ?', A) === 'A'));
check('IN', fn () => $connection->fetchOne('SELECT count(*) FROM orders WHERE id IN (?)', [[A, B]], [ArrayParameterType::STRING]) === 2);
check('= ANY', fn () => scalar('SELECT count(*) FROM orders WHERE id = ANY (?)', '{' . A . ',' . B . '}') === 2);
check('reads as', fn () => kind($connection->convertToPHPValue(scalar("SELECT id FROM orders WHERE note = 'A'"), $type)));
check('array', fn () => kind(scalar('SELECT array_agg(id) FROM orders')));
report('COPY text', '–');
report('COPY binary', '–');
check('id >= $1', fn () => inRange('?'));
check('id >= iuid_floor($1)', fn () => inRange('iuid_floor(?)'));
check('id >= $1::timestamptz', fn () => inRange('?::timestamptz'));
check('gen_iuid($1, $2)', fn () => country('gen_iuid(?, ?)'));
check('gen_iuid($1::int, $2::int)', fn () => country('gen_iuid(?::int, ?::int)'));
$connection->executeStatement('DROP TABLE orders');
$connection->executeStatement(CREATE);
check('reads the schema', fn () => $connection->createSchemaManager()->introspectSchema()->hasTable('orders'));
check('difference of the schema', fn () => difference($default));

<?php
require 'checks.php';

$database = new PDO('pgsql:host=127.0.0.1;port=' . getenv('PGPORT') . ';dbname=' . getenv('PGDATABASE'), getenv('PGUSER'));

function scalar(string $sql, mixed ...$parameters): mixed
{
    $statement = $GLOBALS['database']->prepare($sql);
    $statement->execute($parameters);
    return $statement->fetchColumn();
}

function inRange(string $bound): bool
{
    return scalar("SELECT count(*) FROM orders WHERE id >= $bound AND id < $bound", BEGIN, END) === 2;
}

function country(string $call): bool
{
    return scalar("SELECT iuid_country($call)", 125, 1) === 125;
}

report('version', PHP_VERSION);
$database->exec(CREATE);
$database->exec('CREATE TABLE copies (id iuid, note text)');
report('table', '–');
check('default', fn () => scalar('INSERT INTO orders DEFAULT VALUES RETURNING iuid_country(id)') === 125);
check('UUID', fn () => scalar("INSERT INTO orders VALUES (?, 'A'), (?, 'B') RETURNING id::text", A, B) === A);
check('look-up', fn () => lookUp(fn () => scalar('SELECT note FROM orders WHERE id = ?', A) === 'A'));
check('IN', fn () => scalar('SELECT count(*) FROM orders WHERE id IN (?, ?)', A, B) === 2);
check('= ANY', fn () => scalar('SELECT count(*) FROM orders WHERE id = ANY (?)', '{' . A . ',' . B . '}') === 2);
check('reads as', fn () => kind(scalar("SELECT id FROM orders WHERE note = 'A'")));
check('array', function () use ($database) {
    $ids = scalar('SELECT array_agg(id) FROM orders');
    // SET-UP
    return kind($ids);
});
check('COPY text', function () use ($database) {
    $database->pgsqlCopyFromArray('copies', [A . "\tA"]);
    return $database->pgsqlCopyToArray('copies') === [A . "\tA\n"];
});
report('COPY binary', '–');
check('id >= $1', fn () => inRange('?'));
check('id >= iuid_floor($1)', fn () => inRange('iuid_floor(?)'));
check('id >= $1::timestamptz', fn () => inRange('?::timestamptz'));
check('gen_iuid($1, $2)', fn () => country('gen_iuid(?, ?)'));
check('gen_iuid($1::int, $2::int)', fn () => country('gen_iuid(?::int, ?::int)'));

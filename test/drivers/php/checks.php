<?php
// What the programs in this folder share.  PHP has no UUID value: the identifiers are strings.

const A = '019b76da-a87b-807d-8041-23456789abcd';
const B = '019b76da-a87b-807d-8041-23456789abce';
const BEGIN = '2026-01-01 00:00:00+00';
const END = '2026-01-01 00:00:01+00';
const CREATE = 'CREATE TABLE orders (id iuid DEFAULT gen_iuid(125, 1) PRIMARY KEY, note text)';

function report(string $name, mixed $result): void
{
    echo "$name\t$result\n";
}

/** The version of a package of Debian. */
function version(string $name): string
{
    return preg_replace('/\+.*/', '', exec("dpkg-query --show --showformat='\${source:Upstream-Version}' $name"));
}

/** Reports what a check gives, or its error: the SQLSTATE, if the error has one. */
function check(string $name, callable $run): void
{
    try {
        $result = $run();
    } catch (Throwable $error) {
        for ($inner = $error; $inner && !$inner instanceof PDOException; $inner = $inner->getPrevious());
        $result = $inner?->getCode() ?? basename(strtr($error::class, '\\', '/'));
    }
    report($name, match ($result) { true => 'ok', false => 'wrong', null => '–', default => $result });
}

/** Whether a look-up finds its row, and reads one entry of the index for that. */
function lookUp(callable $found): string|bool
{
    $before = rowsRead();
    if (!$found()) {
        return false;
    }
    return rowsRead() === $before + 1 ? 'index' : 'scan';
}

function rowsRead(): int
{
    scalar('SELECT pg_stat_force_next_flush()');
    return (int) scalar("SELECT idx_tup_read FROM pg_stat_user_indexes WHERE relname = 'orders'");
}

function kind(mixed $value): string
{
    return is_array($value) ? kind($value[0]) . '[]' : get_debug_type($value);
}

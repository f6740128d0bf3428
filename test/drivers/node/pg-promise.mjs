// pg-promise, over node-postgres.

import pgPromise from "pg-promise";
import { run, versionOverNodePostgres } from "./checks.mjs";

const pgp = pgPromise();
const db = pgp({ max: 1 });
// SET-UP
const ANY = process.env.SETUP ? "$1::iuid[]" : "$1";

await run({
	version: versionOverNodePostgres("pg-promise"),
	query: (sql, values) => db.any(sql, values),
	findAny: (ids) => db.any(`SELECT id FROM orders WHERE id = ANY (${ANY})`, [ids]),
});
await db.$pool.end();

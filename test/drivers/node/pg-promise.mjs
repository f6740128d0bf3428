// pg-promise, over node-postgres.

import pgPromise from "pg-promise";
import { run, versionOverNodePostgres } from "./checks.mjs";

const pgp = pgPromise();
const db = pgp({ max: 1 });
// SET-UP

await run({
	version: versionOverNodePostgres("pg-promise"),
	query: (sql, values) => db.any(sql, values),
	findAny: (ids) => db.any(`SELECT id FROM orders WHERE id = ANY ($1${process.env.SETUP && "::iuid[]"})`,
		[ids]),
});
await db.$pool.end();

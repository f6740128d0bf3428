// node-postgres, with pg-copy-streams for COPY.

import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import pg from "pg";
import { from, to } from "pg-copy-streams";
import { run, version } from "./checks.mjs";

const client = new pg.Client();
await client.connect();
// SET-UP

await run({
	version: version("pg"),
	query: async (sql, values) => (await client.query(sql, values)).rows,
	copyTo: async (sql) => Buffer.concat(await client.query(to(sql)).toArray()),
	copyFrom: (sql, bytes) => pipeline(Readable.from([bytes]), client.query(from(sql))),
});
await client.end();

// postgres.js

import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import postgres from "postgres";
import { run, version } from "./checks.mjs";

const sql = postgres({ max: 1, onnotice() {} });

await run({
	version: version("postgres"),
	query: (text, values) => sql.unsafe(text, values),
	copyTo: async (text) => Buffer.concat(await (await sql.unsafe(text).readable()).toArray()),
	copyFrom: async (text, bytes) =>
		pipeline(Readable.from([bytes]), await sql.unsafe(text).writable()),
});
await sql.end();

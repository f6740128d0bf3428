// slonik

import { createPgDriverFactory } from "@slonik/pg-driver";
import { createPool, createTypeParserPreset, sql } from "slonik";
import { run, version } from "./checks.mjs";

// SET-UP
const pool = await createPool(`postgresql://${process.env.PGUSER}@127.0.0.1:${process.env.PGPORT}/${
	process.env.PGDATABASE}`, {
	driverFactory: createPgDriverFactory(),
	maximumPoolSize: 1,
	typeParsers: process.env.SETUP ? typeParsers : createTypeParserPreset(),
});

const typed = (value) =>
	value instanceof Date ? sql.timestamp(value)
		: Array.isArray(value) ? sql.array(value, "uuid") : value;

// A statement of slonik is a template, in which a time and an array say their types.
const query = async (text, values = []) => {
	const parts = text.split(/\$\d/);
	parts.raw = Object.freeze([...parts]);
	const order = [...text.matchAll(/\$(\d)/g)].map(([, n]) => typed(values[n - 1]));
	return pool.any(sql.unsafe(parts, ...order));
};

await run({
	version: version("slonik"),
	query,
});
await pool.end();

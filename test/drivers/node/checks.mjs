// The checks that every program here makes, in the same order.
//
// A program gives what its client is asked: "query" sends SQL with the values of $1, $2 in the
// client's default mode and gives the rows.  What a client has own means for, it gives, too, by the
// names below; what it does not give is asked through "query", but for a range of time and a join.

import { readFileSync } from "node:fs";

const A = "019b76da-a87b-807d-8041-23456789abcd";
const B = "019b76da-a87b-807d-8041-23456789abce";
const none = "–";

// The millisecond of A and B is in this second.
const from = new Date("2026-01-01T00:00:00Z");
const to = new Date("2026-01-01T00:00:01Z");

const orders = "CREATE TABLE orders (id iuid DEFAULT gen_iuid(125, 1) PRIMARY KEY, note text)";
const lines = `CREATE TABLE IF NOT EXISTS lines
	(number int PRIMARY KEY, order_id iuid REFERENCES orders)`;

// The version of an installed package.
export function version(name) {
	const file = new URL(`node_modules/${name}/package.json`, import.meta.url);
	return JSON.parse(readFileSync(file)).version;
}

export function versionOverNodePostgres(name) {
	return `${version(name)}, node-postgres ${version("pg")}`;
}

// The tables as SQL makes them, whatever the client made.
export async function recreate(query) {
	await query("DROP TABLE IF EXISTS lines");
	await query("DROP TABLE IF EXISTS orders");
	await query(orders);
	await query(lines);
}

// Whether the statements by which a client would bring tables with an iuid up to its models drop
// something, or change the type of a key.
export function checkPlan(name, query, plan) {
	return check(name, async () => {
		await recreate(query);
		return (await plan())
			.filter((statement) => /DROP (TABLE|COLUMN)|COLUMN "(order_)?id" .*TYPE/i.test(statement))
			.map((statement) => statement.replaceAll(/[";]/g, "").trim())
			.join("; ") || "keeps all";
	});
}

// A line of output: what the body returns, or how it failed.  Clients wrap the server's error.
export async function check(name, body) {
	let result;
	try {
		result = await body();
	} catch (error) {
		result = sqlstate(error) ?? error.name;
		if (process.env.VERBOSE) console.error(name, error);
	}
	console.log(`${name}\t${result}`);
}

function sqlstate(error) {
	const cause = error.cause ?? error.parent ?? error.meta?.driverAdapterError;
	const code = (cause && sqlstate(cause)) ?? error.originalCode ?? error.code;
	return /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

const ok = (holds) => (holds ? "ok" : "wrong");
const type = (value) => (Array.isArray(value) ? `${type(value[0])}[]` : typeof value);
const same = (rows, ...ids) => ok(rows.map((row) => row.id).sort().join() === ids.join());

export async function run(client) {
	const { query } = client;
	const one = async (...statement) => Object.values((await query(...statement))[0])[0];
	const asked = {
		create: () => one("INSERT INTO orders (note) VALUES ('default') RETURNING id"),
		insert: (id, note) => query("INSERT INTO orders (id, note) VALUES ($1, $2)", [id, note]),
		find: (id) => query("SELECT id, note FROM orders WHERE id = $1", [id]),
		findIn: (ids) => query("SELECT id FROM orders WHERE id IN ($1, $2)", ids),
		findAny: (ids) => query("SELECT id FROM orders WHERE id = ANY ($1)", [ids]),
		array: () => one("SELECT array_agg(id) FROM orders"),
		...client,
	};
	const read = async () => {
		await query("SELECT 1 FROM pg_stat_force_next_flush()");
		return Number(await one(`SELECT idx_tup_read FROM pg_stat_user_indexes
			WHERE relname = 'orders'`));
	};
	const between = (lower, upper) => async () => {
		const sql = `SELECT id FROM orders WHERE id >= ${lower} AND id < ${upper}`;
		return same(await query(sql, [from, to]), A, B);
	};
	const country = (call) => async () =>
		ok((await one(`SELECT iuid_country(${call})`, [125, 1])) === 125);

	await check("version", () => client.version);
	await check("table", async () => {
		if (!client.table) {
			await recreate(query);
			return none;
		}
		await client.table();
		const made = await one(`SELECT format_type(atttypid, NULL) FROM pg_attribute
			WHERE attrelid = 'orders'::regclass AND attname = 'id'`);
		if (made !== "iuid") await recreate(query);
		await query(lines);
		return made;
	});
	await check("default", async () => {
		const id = await asked.create();
		return ok(Number(await one("SELECT count(*) FROM orders WHERE id::text = $1", [id])) === 1);
	});
	await check("UUID", async () => {
		await asked.insert(A, "A");
		await asked.insert(B, "B");
		const stored = await one(`SELECT string_agg(id::text, ',' ORDER BY id) FROM orders
			WHERE note IN ('A', 'B')`);
		return ok(stored === `${A},${B}`);
	});
	await check("look-up", async () => {
		const before = await read();
		const rows = await asked.find(A);
		if (rows.length !== 1 || rows[0].note !== "A") return "none";
		return (await read()) === before + 1 ? "index" : "scan";
	});
	await check("IN", async () => same(await asked.findIn([A, B]), A, B));
	await check("= ANY", async () => same(await asked.findAny([A, B]), A, B));
	await check("reads as", async () => type((await asked.find(A))[0].id));
	await check("array", async () => type(await asked.array()));
	await check("COPY text", () => copy(""));
	await check("COPY binary", () => copy("(FORMAT binary)"));
	await check("id >= $1", between("$1", "$2"));
	await check("id >= iuid_floor($1)", between("iuid_floor($1)", "iuid_floor($2)"));
	await check("id >= $1::timestamptz", between("$1::timestamptz", "$2::timestamptz"));
	await check("gen_iuid($1, $2)", country("gen_iuid($1, $2)"));
	await check("gen_iuid($1::int, $2::int)", country("gen_iuid($1::int, $2::int)"));

	if (client.range)
		await check("range of time", async () => same(await client.range(from, to), A, B));
	if (client.join)
		await check("join over a foreign key", async () => {
			await query("INSERT INTO lines VALUES (1, $1)", [A]);
			const [line, ...others] = await client.join("A");
			return ok(line.number === 1 && line.id === A && others.length === 0);
		});

	// Out, away, and in again.  What the client passes are bytes; it converts nothing.
	async function copy(format) {
		if (!client.copyTo) return none;
		const all = "SELECT string_agg(id::text || note, ',' ORDER BY id) FROM orders";
		const before = await one(all);
		const bytes = await client.copyTo(`COPY orders (id, note) TO STDOUT ${format}`);
		await query("DELETE FROM orders");
		await client.copyFrom(`COPY orders (id, note) FROM STDIN ${format}`, bytes);
		return ok((await one(all)) === before);
	}
}

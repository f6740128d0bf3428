// drizzle-orm, over node-postgres; its table comes from the push of drizzle-kit.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { pushSchema } from "drizzle-kit/api";
import { and, eq, gte, inArray, lt, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { customType, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import pg from "pg";
import { check, checkPlan, run, versionOverNodePostgres } from "./checks.mjs";

const pool = new pg.Pool({ max: 1 });
const db = drizzle(pool);
// SET-UP
// SET-UP
// SET-UP

const key = process.env.SETUP ? iuid : uuid;
const orders = pgTable("orders", {
	id: key().primaryKey().default(sql`gen_iuid(125, 1)`),
	note: text(),
});
const lines = pgTable("lines", {
	number: integer().primaryKey(),
	orderId: key("order_id").references(() => orders.id),
});

// drizzle-kit shows its progress on standard output.
async function plan(tables) {
	const { write } = process.stdout;
	process.stdout.write = () => true;
	try {
		return await pushSchema({ orders, lines }, db, ["public"], tables);
	} finally {
		process.stdout.write = write;
	}
}

// drizzle itself takes no text with $1, $2.
const query = async (text, values) => (await db.$client.query(text, values)).rows;

await run({
	version: versionOverNodePostgres("drizzle-orm"),
	query,
	table: async () => (await plan(["orders", "lines"])).apply(),
	create: async () => (await db.insert(orders).values({ note: "default" }).returning())[0].id,
	insert: (id, note) => db.insert(orders).values({ id, note }),
	find: (id) => db.select().from(orders).where(eq(orders.id, id)),
	findIn: (ids) => db.select().from(orders).where(inArray(orders.id, ids)),
	findAny: (ids) => db.select().from(orders).where(sql`${orders.id} = ANY (${sql.param(ids)})`),
	range: (lower, upper) => db.select().from(orders)
		.where(and(gte(orders.id, sql`iuid_floor(${lower})`), lt(orders.id, sql`iuid_floor(${upper})`))),
	join: (note) => db.select({ number: lines.number, id: orders.id }).from(lines)
		.innerJoin(orders, eq(lines.orderId, orders.id)).where(eq(orders.note, note)),
	array: async () => (await db.select({ ids: sql`array_agg(${orders.id})` }).from(orders))[0].ids,
});
await checkPlan("drizzle-kit push", query, async () =>
	(await plan(process.env.SETUP ? config.tablesFilter : undefined)).statementsToExecute);
await check("drizzle-kit pull", () => {
	const { PGDATABASE, PGPORT, PGUSER } = process.env;
	const url = `postgresql://${PGUSER}@127.0.0.1:${PGPORT}/${PGDATABASE}`;
	spawnSync("drizzle-kit", ["pull", "--dialect", "postgresql", "--url", url, "--out", PGDATABASE]);
	return readFileSync(`${PGDATABASE}/schema.ts`, "utf8").match(/\bid: (.*),/)[1];
});
await pool.end();

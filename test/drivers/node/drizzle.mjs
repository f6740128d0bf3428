// drizzle-orm, over node-postgres; its table comes from the push of drizzle-kit.

import { pushSchema } from "drizzle-kit/api";
import { eq, inArray, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { customType, pgTable, text, uuid } from "drizzle-orm/pg-core";
import pg from "pg";
import { checkPlan, run, versionOverNodePostgres } from "./checks.mjs";

const pool = new pg.Pool({ max: 1 });
const db = drizzle(pool);
// SET-UP
// SET-UP
// SET-UP

const orders = pgTable("orders", {
	id: (process.env.SETUP ? iuid() : uuid()).primaryKey().default(sql`gen_iuid(125, 1)`),
	note: text(),
});

// drizzle-kit shows its progress on standard output.
async function plan(tables) {
	const { write } = process.stdout;
	process.stdout.write = () => true;
	try {
		return await pushSchema({ orders }, db, ["public"], tables);
	} finally {
		process.stdout.write = write;
	}
}

// drizzle itself takes no text with $1, $2.
const query = async (text, values) => (await db.$client.query(text, values)).rows;

await run({
	version: versionOverNodePostgres("drizzle-orm"),
	query,
	table: async () => (await plan(["orders"])).apply(),
	create: async () => (await db.insert(orders).values({ note: "default" }).returning())[0].id,
	insert: (id, note) => db.insert(orders).values({ id, note }),
	find: (id) => db.select().from(orders).where(eq(orders.id, id)),
	findIn: (ids) => db.select().from(orders).where(inArray(orders.id, ids)),
	findAny: (ids) => db.select().from(orders).where(sql`${orders.id} = ANY (${sql.param(ids)})`),
	array: async () => (await db.select({ ids: sql`array_agg(${orders.id})` }).from(orders))[0].ids,
});
await checkPlan("drizzle-kit push", query, async () =>
	(await plan(process.env.SETUP ? config.tablesFilter : undefined)).statementsToExecute);
await pool.end();

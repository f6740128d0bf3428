// kysely, over node-postgres.

import { CompiledQuery, Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import { run, versionOverNodePostgres } from "./checks.mjs";

const db = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ max: 1 }) }) });
// SET-UP

const orders = () => db.selectFrom("orders").selectAll();

await run({
	version: versionOverNodePostgres("kysely"),
	query: async (text, values) => (await db.executeQuery(CompiledQuery.raw(text, values))).rows,
	table: () => db.schema.createTable("orders")
		.addColumn("id", sql`iuid`, (column) => column.primaryKey().defaultTo(sql`gen_iuid(125, 1)`))
		.addColumn("note", "text")
		.execute(),
	create: async () => (await db.insertInto("orders").values({ note: "default" }).returning("id")
		.executeTakeFirst()).id,
	insert: (id, note) => db.insertInto("orders").values({ id, note }).execute(),
	find: (id) => orders().where("id", "=", id).execute(),
	findIn: (ids) => orders().where("id", "in", ids).execute(),
	findAny: (ids) => orders().where(({ eb, fn, val }) => eb("id", "=", fn.any(val(ids)))).execute(),
	range: (lower, upper) => orders()
		.where("id", ">=", sql`iuid_floor(${lower})`)
		.where("id", "<", sql`iuid_floor(${upper})`)
		.execute(),
	join: (note) => db.selectFrom("lines").innerJoin("orders", "id", "order_id")
		.select(["number", "id"]).where("note", "=", note).execute(),
});
await db.destroy();

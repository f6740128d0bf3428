// knex, over node-postgres.

import knex from "knex";
import pg from "pg";
import { run, versionOverNodePostgres } from "./checks.mjs";

const db = knex({ client: "pg", connection: {}, pool: { min: 1, max: 1 } });
// SET-UP

// knex writes a value as "?", and a statement of knex has $1, $2 when the server gets it.
const query = async (sql, values = []) => {
	const order = [];
	const text = sql.replace(/\$(\d)/g, (_, n) => (order.push(values[n - 1]), "?"));
	return (await db.raw(text, order)).rows;
};

await run({
	version: versionOverNodePostgres("knex"),
	query,
	table: () => db.schema.createTable("orders", (table) => {
		table.specificType("id", "iuid").primary().defaultTo(db.raw("gen_iuid(125, 1)"));
		table.text("note");
	}),
	create: async () => (await db("orders").insert({ note: "default" }, "id"))[0].id,
	insert: (id, note) => db("orders").insert({ id, note }),
	find: (id) => db("orders").where({ id }),
	findIn: (ids) => db("orders").whereIn("id", ids),
	findAny: (ids) => db("orders").whereRaw("id = ANY (?)", [ids]),
	range: (lower, upper) => db("orders")
		.where("id", ">=", db.raw("iuid_floor(?)", lower))
		.where("id", "<", db.raw("iuid_floor(?)", upper)),
	join: (note) => db("lines").join("orders", "id", "order_id").where({ note }),
});
await db.destroy();

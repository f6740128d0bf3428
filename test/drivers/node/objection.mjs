// objection, over knex and node-postgres.

import knex from "knex";
import objection from "objection";
import pg from "pg";
import { run, version } from "./checks.mjs";

const db = knex({ client: "pg", connection: {}, pool: { min: 1, max: 1 } });
class Order extends objection.Model {
	static tableName = "orders";
}
class Line extends objection.Model {
	static tableName = "lines";
	static idColumn = "number";
	static relationMappings = {
		order: {
			relation: objection.Model.BelongsToOneRelation,
			modelClass: Order,
			join: { from: "lines.order_id", to: "orders.id" },
		},
	};
}
objection.Model.knex(db);
// SET-UP

const query = async (sql, values = []) => {
	const order = [];
	const text = sql.replace(/\$(\d)/g, (_, n) => (order.push(values[n - 1]), "?"));
	return (await db.raw(text, order)).rows;
};

await run({
	version: `${version("objection")}, knex ${version("knex")}, node-postgres ${version("pg")}`,
	query,
	create: async () => (await Order.query().insert({ note: "default" })).id,
	insert: (id, note) => Order.query().insert({ id, note }),
	find: (id) => Order.query().where({ id }),
	findIn: (ids) => Order.query().findByIds(ids),
	findAny: (ids) => Order.query().whereRaw("id = ANY (?)", [ids]),
	range: (lower, upper) => Order.query()
		.where("id", ">=", objection.raw("iuid_floor(?)", lower))
		.where("id", "<", objection.raw("iuid_floor(?)", upper)),
	join: async (note) => (await Line.query().withGraphJoined("order").where("order.note", note))
		.map(({ number, order }) => ({ number, id: order.id })),
});
await db.destroy();

// MikroORM, over node-postgres.

import { EntitySchema, MikroORM, raw } from "@mikro-orm/postgresql";
import { checkPlan, run, versionOverNodePostgres } from "./checks.mjs";

const Order = new EntitySchema({
	name: "Order",
	tableName: "orders",
	properties: {
		id: {
			type: "uuid",
			primary: true,
			defaultRaw: "gen_iuid(125, 1)",
			...(process.env.SETUP ? { columnType: "iuid" } : {}),
		},
		note: { type: "text", nullable: true },
	},
});
// A column that refers to the key has its type.
const Line = new EntitySchema({
	name: "Line",
	tableName: "lines",
	properties: {
		number: { type: "integer", primary: true },
		order: { kind: "m:1", entity: () => Order, fieldName: "order_id", nullable: true },
	},
});
// SET-UP
const orm = await MikroORM.init({
	host: process.env.PGHOST,
	port: process.env.PGPORT,
	dbName: process.env.PGDATABASE,
	user: process.env.PGUSER,
	pool: { min: 1, max: 1 },
	entities: [Order, Line],
	...(process.env.SETUP ? options : {}),
});
// SET-UP
// SET-UP
const em = orm.em.fork();

const query = async (sql, values = []) => {
	const order = [];
	const text = sql.replace(/\$(\d)/g, (_, n) => (order.push(values[n - 1]), "?"));
	return em.execute(text, order);
};
const find = (where) => orm.em.fork().find(Order, where);
const list = (ids) => ({ [raw("id = ANY (?)", [ids])]: [] });

await run({
	version: versionOverNodePostgres("@mikro-orm/core"),
	query,
	table: async () => em.execute(await orm.schema.getCreateSchemaSQL()),
	create: async () => {
		const order = em.create(Order, { note: "default" });
		await em.flush();
		return order.id;
	},
	insert: (id, note) => em.insert(Order, { id, note }),
	find: (id) => find({ id }),
	findIn: (ids) => find({ id: ids }),
	findAny: (ids) => find(process.env.SETUP ? any(ids) : list(ids)),
	range: (lower, upper) => find({
		id: { $gte: raw("iuid_floor(?)", [lower]), $lt: raw("iuid_floor(?)", [upper]) },
	}),
	join: async (note) =>
		(await orm.em.fork().find(Line, { order: { note } }, { populate: ["order"] }))
			.map(({ number, order }) => ({ number, id: order.id })),
});
await checkPlan("schema diff", query, async () =>
	(await orm.schema.getUpdateSchemaSQL()).split("\n"));
await orm.close();

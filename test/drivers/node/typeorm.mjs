// TypeORM, over node-postgres.

import pg from "pg";
import typeorm from "typeorm";
import { checkPlan, run, versionOverNodePostgres } from "./checks.mjs";

const { DataSource, EntitySchema, In, Raw } = typeorm;
const type = process.env.SETUP ? "iuid" : "uuid";
const Order = new EntitySchema({
	name: "orders",
	columns: {
		id: { type, primary: true, default: () => "gen_iuid(125, 1)" },
		note: { type: "text", nullable: true },
	},
});
// A column that refers to the key has its type.
const Line = new EntitySchema({
	name: "lines",
	columns: { number: { type: "int", primary: true } },
	relations: {
		order: { target: "orders", type: "many-to-one", joinColumn: { name: "order_id" } },
	},
});
const source = new DataSource({
	type: "postgres",
	host: process.env.PGHOST,
	port: process.env.PGPORT,
	database: process.env.PGDATABASE,
	username: process.env.PGUSER,
	poolSize: 1,
	entities: [Order, Line],
});
// SET-UP
await source.initialize();
// SET-UP

const orders = source.getRepository("orders");

const query = (sql, values) => source.query(sql, values);

await run({
	version: versionOverNodePostgres("typeorm"),
	query,
	table: () => source.synchronize(),
	create: async () => (await orders.insert({ note: "default" })).identifiers[0].id,
	insert: (id, note) => orders.insert({ id, note }),
	find: (id) => orders.findBy({ id }),
	findIn: (ids) => orders.findBy({ id: In(ids) }),
	findAny: (ids) => orders.findBy({ id: Raw((id) => `${id} = ANY (:ids)`, { ids }) }),
	range: (lower, upper) => orders.findBy({
		id: Raw((id) => `${id} >= iuid_floor(:lower) AND ${id} < iuid_floor(:upper)`, { lower, upper }),
	}),
	join: async (note) => (await source.getRepository("lines").find({
		where: { order: { note } },
		relations: { order: true },
	})).map(({ number, order }) => ({ number, id: order.id })),
});
await checkPlan("synchronize", query, async () =>
	(await source.driver.createSchemaBuilder().log()).upQueries.map((statement) => statement.query));
await source.destroy();

// TypeORM, over node-postgres.

import pg from "pg";
import typeorm from "typeorm";
import { checkPlan, run, versionOverNodePostgres } from "./checks.mjs";

const { DataSource, EntitySchema, In, Raw } = typeorm;
const entity = new EntitySchema({
	name: "orders",
	columns: {
		id: {
			type: process.env.SETUP ? "iuid" : "uuid",
			primary: true,
			default: () => "gen_iuid(125, 1)",
		},
		note: { type: "text", nullable: true },
	},
});
const source = new DataSource({
	type: "postgres",
	host: process.env.PGHOST,
	port: process.env.PGPORT,
	database: process.env.PGDATABASE,
	username: process.env.PGUSER,
	poolSize: 1,
	entities: [entity],
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
});
await checkPlan("synchronize", query, async () =>
	(await source.driver.createSchemaBuilder().log()).upQueries.map((statement) => statement.query));
await source.destroy();

// Prisma, over node-postgres.  Its compiler of queries is in the package, as WebAssembly.

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { check, recreate, run, versionOverNodePostgres } from "./checks.mjs";

const command = (args, external = []) => spawnSync("../node_modules/.bin/prisma", args, {
	cwd: new URL("prisma/", import.meta.url),
	encoding: "utf8",
	env: {
		...process.env,
		// "migrate dev" makes a database of its own.
		PGUSER: "postgres",
		CHECKPOINT_DISABLE: "1",
		EXTERNAL: JSON.stringify(external),
		PRISMA_HIDE_UPDATE_MESSAGE: "1",
		PRISMA_SCHEMA_ENGINE_BINARY: "schema-engine.mjs",
	},
});
const push = (external) => command(["db", "push", "--accept-data-loss"], external);
const registry = ["countries", "entities", "nodes", "routes"].map((name) => `public.iuid_${name}`);

const migration = `
	CREATE EXTENSION IF NOT EXISTS iuid;
	CREATE TABLE orders (id iuid DEFAULT gen_iuid(125, 1) PRIMARY KEY, note text);
	CREATE TABLE lines (number int PRIMARY KEY, order_id iuid REFERENCES orders);`;

command(["generate"]);
const { PrismaClient } = createRequire(import.meta.url)("./prisma/generated");
// SET-UP
// SET-UP
const prisma = new PrismaClient({ adapter: process.env.SETUP ? adapter : new PrismaPg() });
// SET-UP

const query = (sql, values = []) => prisma.$queryRawUnsafe(sql, ...values);

await run({
	version: versionOverNodePostgres("prisma"),
	query,
	table: () => (process.env.SETUP ? recreate(query) : push(registry)),
	create: async () => (await prisma.order.create({ data: { note: "default" } })).id,
	insert: (id, note) => prisma.order.create({ data: { id, note } }),
	find: async (id) => [await prisma.order.findUnique({ where: { id } })].filter(Boolean),
	findIn: (ids) => prisma.order.findMany({ where: { id: { in: ids } } }),
	range: (lower, upper) => prisma.$queryRaw`SELECT id FROM orders
		WHERE id >= iuid_floor(${lower}) AND id < iuid_floor(${upper})`,
	join: async (note) =>
		(await prisma.line.findMany({ where: { order: { note } }, include: { order: true } }))
			.map(({ number, order }) => ({ number, id: order.id })),
});
await check("db push", async () => {
	await recreate(query);
	const { stdout, stderr } = push(process.env.SETUP ? config.tables.external : []);
	return (stdout + stderr).match(/cannot drop table \w+|already in sync/)?.[0];
});
await check("a Date in another time zone", async () => {
	await query(`ALTER DATABASE "${process.env.PGDATABASE}" SET timezone = 'Asia/Almaty'`);
	await prisma.$disconnect();
	const [{ same }] = await query("SELECT $1::timestamptz = '1970-01-01Z' AS same", [new Date(0)]);
	return same ? "ok" : "wrong";
});
// After a migration in SQL that makes the tables.
await check("migrate dev", async () => {
	await query("DROP TABLE lines, orders");
	const folder = new URL("prisma/migrations/1_orders/", import.meta.url);
	mkdirSync(folder, { recursive: true });
	writeFileSync(new URL("migration.sql", folder), migration);
	const external = process.env.SETUP ? config.tables.external : [];
	command(["migrate", "deploy"], external);
	const { stdout, stderr } = command(["migrate", "dev"], external);
	return (stdout + stderr).match(/reset the "public" schema|already in sync/i)?.[0].toLowerCase();
});
await prisma.$disconnect();

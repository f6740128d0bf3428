// Prisma, over node-postgres.  Its compiler of queries is in the package, as WebAssembly.

import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { check, recreate, run, versionOverNodePostgres } from "./checks.mjs";

// A program that is named is not downloaded, and none is used.
const command = (args, external = []) => spawnSync("../node_modules/.bin/prisma", args, {
	cwd: new URL("prisma/", import.meta.url),
	encoding: "utf8",
	env: {
		...process.env,
		CHECKPOINT_DISABLE: "1",
		EXTERNAL: JSON.stringify(external),
		PRISMA_HIDE_UPDATE_MESSAGE: "1",
		PRISMA_QUERY_ENGINE_LIBRARY: process.execPath,
		PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
	},
});
const push = (external) =>
	command(["db", "push", "--accept-data-loss", "--skip-generate"], external);
const registry = ["countries", "entities", "nodes", "routes"].map((name) => `public.iuid_${name}`);

command(["generate"]);
const { PrismaClient } = createRequire(import.meta.url)("./prisma/generated");
// SET-UP
const prisma = new PrismaClient({ adapter: process.env.SETUP ? adapter : new PrismaPg() });
// SET-UP
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
await prisma.$disconnect();

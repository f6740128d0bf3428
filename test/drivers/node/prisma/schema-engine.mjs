#!/usr/bin/env node
// Prisma's engine for schemas, as the program that Prisma's command starts, and asks with a line of
// JSON for each call.  Prisma downloads its own.  The same engine is on npm as WebAssembly.  That one
// asks the server over the adapter, which does not know two types of the catalog: "char" and name.

import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import { SchemaEngine } from "@prisma/schema-engine-wasm";
import pg from "pg";

const { CHAR, TEXT } = pg.types.builtins;
// name, and arrays of both, by their numbers.
const known = { [CHAR]: TEXT, 19: TEXT, 1002: 1009, 1003: 1009 };
// Prisma's number for a column of one character.
const character = 6;
let fields = [];

class Pool extends pg.Pool {
	async query(...args) {
		const result = await super.query(...args);
		fields = (result.fields ?? []).map((field) => field.dataTypeID);
		for (const field of result.fields ?? [])
			field.dataTypeID = known[field.dataTypeID] ?? field.dataTypeID;
		return result;
	}
}

class Adapter extends PrismaPg {
	async connect() {
		const connection = await super.connect();
		const { queryRaw } = connection;
		connection.queryRaw = async (query) => {
			const result = await queryRaw.call(connection, query);
			fields.forEach((type, i) => { if (type === CHAR) result.columnTypes[i] = character; });
			return result;
		};
		return connection;
	}

	// Where the engine tries the migrations.  The adapter itself drops the database while it is in it.
	async connectToShadowDb() {
		const database = `shadow_${randomUUID()}`;
		const own = await this.connect();
		await own.executeScript(`CREATE DATABASE "${database}"`);
		const shadow = await new Adapter(new Pool({ database }), { disposeExternalPool: true }).connect();
		const { dispose } = shadow;
		shadow.dispose = async () => {
			await dispose.call(shadow);
			await own.executeScript(`DROP DATABASE "${database}"`);
		};
		return shadow;
	}
}

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: { datamodels: { type: "string", multiple: true }, datasource: { type: "string" } },
});
// The command first asks whether there is such a database.
if (positionals[0] === "cli") process.exit(0);

const engine = await SchemaEngine.new(
	{ datamodels: values.datamodels?.map((path) => [path, readFileSync(path, "utf8")]) },
	() => {},
	bindMigrationAwareSqlAdapterFactory(new Adapter(new Pool())),
);
const say = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
for await (const line of createInterface({ input: process.stdin })) {
	const { id, method, params } = JSON.parse(line);
	// What the command printed, it confirms.
	if (!method) continue;
	try {
		const result = await engine[method](params);
		if (result?.stdout) say({ id, method: "print", params: { content: result.stdout } });
		say({ id, result: result ?? null });
	} catch ({ message }) {
		say({ id, error: { message, data: { message } } });
	}
}
process.exit();

// What Prisma's command reads.  Prisma's engine for schemas is a program, which the command
// downloads.  The package has the engine as WebAssembly, too.  That one asks the server over the
// adapter, and the adapter does not know two types of the catalog yet: "char" and name.

import { PrismaPg } from "@prisma/adapter-pg";
import { defineConfig } from "prisma/config";
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
}

export default defineConfig({
	schema: "schema.prisma",
	engine: "js",
	adapter: async () => new Adapter(new Pool()),
	experimental: { adapter: true, externalTables: true },
	tables: { external: JSON.parse(process.env.EXTERNAL ?? "[]") },
});

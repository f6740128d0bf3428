// What Prisma's command reads.  Its engine for schemas is a program from a server of its own, and the
// same in the package, as WebAssembly.  That one has its connection from the adapter, which knows two
// types of the catalog, "char" and name, not yet.

import { PrismaPg } from "@prisma/adapter-pg";
import { defineConfig } from "prisma/config";
import pg from "pg";

const { CHAR, TEXT } = pg.types.builtins;
const known = { [CHAR]: TEXT, 19: TEXT, 1002: 1009, 1003: 1009 };
const character = 6;
let fields = [];

class Pool extends pg.Pool {
	async query(...args) {
		const result = await super.query(...args);
		fields = (result.fields ?? []).map((field) => field.dataTypeID);
		for (const field of result.fields ?? []) field.dataTypeID = known[field.dataTypeID] ?? field.dataTypeID;
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
	schema: "prisma/schema.prisma",
	engine: "js",
	adapter: async () => new Adapter(new Pool()),
	experimental: { adapter: true, externalTables: true },
	tables: { external: JSON.parse(process.env.EXTERNAL ?? "[]") },
});

// What Prisma's command reads.

import { defineConfig } from "prisma/config";

const { PGHOST, PGPORT, PGDATABASE, PGUSER } = process.env;

export default defineConfig({
	schema: "schema.prisma",
	datasource: { url: `postgresql://${PGUSER}@localhost:${PGPORT}/${PGDATABASE}?host=${PGHOST}` },
	experimental: { externalTables: true },
	tables: { external: JSON.parse(process.env.EXTERNAL ?? "[]") },
});

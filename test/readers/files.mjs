// Identifiers in Parquet files, written and read by hyparquet and by DuckDB: doc/other-tools.md.
//
// Each line of the standard input is an identifier as text; the lines are in order.  A row group that a
// reader leaves out may be damaged, so the first row groups are, before a range of the last one is read.

import assert from "node:assert";
import { readFileSync, writeFileSync } from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { parquetWriteFile } from "hyparquet-writer";

const GROUP = 10000;
const ids = readFileSync(0, "utf8").trim().split("\n");
const last = ids.slice(-GROUP / 2);
assert(ids.length === 4 * GROUP && ids.every((id, n) => n === 0 || ids[n - 1] < id));

const duckdb = await (await DuckDBInstance.create()).connect();
const ask = async (sql) => (await duckdb.runAndReadAll(sql)).getRowsJson();

const numbers = ids.map((_, n) => n);
parquetWriteFile({ filename: "written.parquet", rowGroupSize: GROUP, columnData: [{ name: "id", data: ids, type: "UUID" }, { name: "n", data: numbers, type: "INT32" }] });
await ask(`COPY (SELECT * FROM 'written.parquet') TO 'copied.parquet' (ROW_GROUP_SIZE ${GROUP})`);

for (const name of ["written.parquet", "copied.parquet"]) {
	const file = await asyncBufferFromFile(name);
	const { schema, row_groups: groups } = await parquetMetadataAsync(file);
	const id = schema.find((column) => column.name === "id");
	assert.deepStrictEqual([id.type, id.type_length, id.logical_type.type], ["FIXED_LEN_BYTE_ARRAY", 16, "UUID"]);
	assert.deepStrictEqual(groups.map((group) => group.columns[0].meta_data.statistics).map(({ min_value, max_value }) => [min_value, max_value]),
		[0, 1, 2, 3].map((n) => [ids[n * GROUP], ids[(n + 1) * GROUP - 1]]));
	assert.deepStrictEqual((await parquetReadObjects({ file, columns: ["id"] })).map((row) => row.id), ids);
	assert.deepStrictEqual(await ask(`SELECT typeof(id), count(*), min(id), max(id) FROM '${name}' GROUP BY 1`), [["UUID", String(ids.length), ids[0], ids.at(-1)]]);
	console.log(`${name}: 16 bytes, logical type UUID, the least and greatest of each row group; hyparquet and DuckDB read what was written`);
}

// All row groups but the last one: from the first four bytes on.
const bytes = readFileSync("copied.parquet");
const { row_groups: groups } = await parquetMetadataAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
bytes.fill(0, 4, Number(groups[3].columns[0].meta_data.data_page_offset));
writeFileSync("damaged.parquet", bytes);
const file = await asyncBufferFromFile("damaged.parquet");
await assert.rejects(parquetReadObjects({ file }));
assert.deepStrictEqual((await parquetReadObjects({ file, filter: { id: { $gte: last[0] } } })).map((row) => row.id), last);
console.log("hyparquet reads the row groups of a range alone");
assert.deepStrictEqual(await ask(`SELECT max(n) FROM 'damaged.parquet' WHERE n >= ${ids.length - 10}`), [[ids.length - 1]]);
await assert.rejects(ask(`SELECT max(n) FROM 'damaged.parquet' WHERE id >= '${last[0]}'::UUID`));
console.log("DuckDB reads them by a number, and by a UUID all row groups");

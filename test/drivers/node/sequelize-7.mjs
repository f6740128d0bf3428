// Sequelize 7, over node-postgres.

import { DataTypes, Op, Sequelize, sql } from "@sequelize/core";
import { PostgresDialect } from "@sequelize/postgres";
import { checkPlan, run, versionOverNodePostgres } from "./checks.mjs";

const sequelize = new Sequelize({
	dialect: PostgresDialect,
	host: process.env.PGHOST,
	port: Number(process.env.PGPORT),
	database: process.env.PGDATABASE,
	user: process.env.PGUSER,
	pool: { max: 1 },
});
// SET-UP

const type = process.env.SETUP ? Iuid : DataTypes.UUID;
const Order = sequelize.define("order", {
	id: { type, primaryKey: true, defaultValue: sql.literal("gen_iuid(125, 1)") },
	note: DataTypes.TEXT,
}, { tableName: "orders", timestamps: false });
const Line = sequelize.define("line", {
	number: { type: DataTypes.INTEGER, primaryKey: true },
	orderId: { type, columnName: "order_id" },
}, { tableName: "lines", timestamps: false });
Line.belongsTo(Order, { as: "order", foreignKey: "orderId" });

const query = async (text, bind) => (await sequelize.query(text, { bind }))[0];
const find = async (where) => (await Order.findAll({ where })).map((row) => row.get());

await run({
	version: versionOverNodePostgres("@sequelize/core"),
	query,
	table: () => sequelize.sync(),
	create: async () => (await Order.create({ note: "default" })).id,
	insert: (id, note) => Order.create({ id, note }),
	find: (id) => find({ id }),
	findIn: (ids) => find({ id: ids }),
	findAny: (ids) => find({ id: { [Op.eq]: { [Op.any]: ids } } }),
	range: (from, to) => find({
		id: { [Op.gte]: sql.fn("iuid_floor", from), [Op.lt]: sql.fn("iuid_floor", to) },
	}),
	join: async (note) =>
		(await Line.findAll({ include: [{ association: "order", where: { note } }] }))
			.map((line) => ({ number: line.number, id: line.order.id })),
});
await checkPlan("sync({ alter: true })", query, async () => {
	const statements = [];
	const logging = (text) => statements.push(text.replace(/^.*?: /, ""));
	await sequelize.sync({ alter: true, logging });
	return statements.filter((text) => /^(ALTER|DROP)/.test(text));
});
await sequelize.close();

// Sequelize, over node-postgres.

import pg from "pg";
import { DataTypes, Op, Sequelize } from "sequelize";
import { checkPlan, run, versionOverNodePostgres } from "./checks.mjs";

const sequelize = new Sequelize({
	dialect: "postgres",
	host: process.env.PGHOST,
	port: process.env.PGPORT,
	database: process.env.PGDATABASE,
	username: process.env.PGUSER,
	pool: { max: 1 },
	logging: false,
});
// SET-UP

const Order = sequelize.define("order", {
	id: {
		type: process.env.SETUP ? "iuid" : DataTypes.UUID,
		primaryKey: true,
		defaultValue: Sequelize.literal("gen_iuid(125, 1)"),
	},
	note: DataTypes.TEXT,
}, { tableName: "orders", timestamps: false });
const Line = sequelize.define("line", {
	number: { type: DataTypes.INTEGER, primaryKey: true },
	orderId: { type: process.env.SETUP ? "iuid" : DataTypes.UUID, field: "order_id" },
}, { tableName: "lines", timestamps: false });
Line.belongsTo(Order, { foreignKey: "orderId" });

const query = async (sql, bind) => (await sequelize.query(sql, { bind }))[0];
const find = async (where) => (await Order.findAll({ where })).map((row) => row.get());

await run({
	version: versionOverNodePostgres("sequelize"),
	query,
	table: () => sequelize.sync(),
	create: async () => (await Order.create({ note: "default" })).id,
	insert: (id, note) => Order.create({ id, note }),
	find: (id) => find({ id }),
	findIn: (ids) => find({ id: ids }),
	findAny: (ids) => find({ id: { [Op.eq]: { [Op.any]: ids } } }),
	range: (lower, upper) => find({
		id: { [Op.gte]: Sequelize.fn("iuid_floor", lower), [Op.lt]: Sequelize.fn("iuid_floor", upper) },
	}),
	join: async (note) => (await Line.findAll({ include: [{ model: Order, where: { note } }] }))
		.map((line) => ({ number: line.number, id: line.order.id })),
});
await checkPlan("sync({ alter: true })", query, async () => {
	const statements = [];
	const logging = (text) => statements.push(text.replace(/^.*?: /, ""));
	await sequelize.sync({ alter: true, logging });
	return statements.filter((text) => /^(ALTER|DROP)/.test(text));
});
await sequelize.close();

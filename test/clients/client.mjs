// clients/javascript for check.py.
import assert from "node:assert";
import { readFileSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

import * as iuid from "../../clients/javascript/iuid.mjs";

const given = {};
let maker;

// With a time, and without one, these are two functions.
const timed = (call, callAt, given, at) => (at === null ? call(...given) : callAt(...given, time(at)));
const fromName = (country, entity, name, at) => timed(iuid.fromName, iuid.fromNameAt, [+country, +entity, name], at);

const bytes = (hex) => Uint8Array.from(Buffer.from(hex, "hex"));
const text = (hex) => Buffer.from(hex, "hex").toString("utf8");
const time = (microseconds) => {
  const at = BigInt(microseconds);
  return at % 1000n === 0n && !isNaN(new Date(Number(at / 1000n))) ? new Date(Number(at / 1000n)) : at;
};

function start() {
  maker = new iuid.Maker(() => given.clock, () => given.random);
  return null;
}

function make(country, entity, clock, random) {
  const [seconds, fraction = ""] = clock.split(".");
  const nanoseconds = Number(fraction.padEnd(9, "0"));
  given.clock = [Number(seconds) * 1000 + Math.floor(nanoseconds / 1e6), nanoseconds % 1e6];
  given.random = bytes(random);
  return maker.make(+country, +entity);
}

function makeAt(country, entity, at, random) {
  given.random = bytes(random);
  return maker.makeAt(+country, +entity, time(at));
}

function fields(id) {
  const f = iuid.fields(id);
  return [f.time && f.time.getTime(), f.country, f.entity, f.random, f.layout];
}

const calls = {
  read: (hex) => iuid.parse(text(hex)),
  from_uuid_bits: (uuid) => iuid.fromBytes(iuid.toBytes(uuid)),
  fields,
  floor: (at) => iuid.floor(time(at)),
  country_floor: (country, entity) => iuid.countryFloor(+country, +entity),
  byte_order: (...ids) => ids.sort(iuid.compare),
  country_order: (...ids) => ids.sort(iuid.compareCountry),
  name: (country, entity, hex, at) => fromName(country, entity, text(hex), at),
  name_bytes: (country, entity, hex, at) => fromName(country, entity, bytes(hex), at),
  name_number: (country, entity, n, at) => fromName(country, entity, Number.isSafeInteger(+n) ? +n : BigInt(n), at),
  uuid: (id, country, entity, at) => timed(iuid.fromUuid, iuid.fromUuidAt, [id, +country, +entity], at),
  hide: (id, key) => iuid.hide(id, bytes(key)),
  reveal: (hidden, key) => iuid.reveal(hidden, bytes(key)),
  make_at: makeAt,
  start,
  make,
};

function answer(line) {
  const [call, ...rest] = line.split("\t");
  try {
    const value = calls[call](...rest.map((a) => (a === "~" ? null : a)));
    return "= " + (Array.isArray(value) ? value : [value]).map((v) => v ?? "~").join(" ");
  } catch (error) {
    assert(error instanceof RangeError || error instanceof SyntaxError, error);
    return "! " + error.message.replaceAll("\n", " ");
  }
}

// What is written to a pipe at the end of a process can be lost, but for this.
function print(lines) {
  let rest = Buffer.from(lines.join("\n") + "\n");
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

async function makeInThreads(count) {
  const made = Array.from({ length: 4 }, () => new Promise((resolve, reject) => {
    new Worker(new URL(import.meta.url), { workerData: count }).on("message", resolve).on("error", reject);
  }));
  print((await Promise.all(made)).flatMap((ids, thread) => ids.map((id) => `${thread} ${id}`)));
}

async function takeTurns() {
  for await (const _ of createInterface({ input: process.stdin })) print([iuid.make(7, 1)]);
}

function own() {
  const id = iuid.parse("{019B76DAA87B807D804123456789ABCD}");
  assert.equal(JSON.stringify({ id }), '{"id":"019b76da-a87b-807d-8041-23456789abcd"}');
  assert.deepEqual(iuid.fields(id.toUpperCase()).time, new Date("2026-01-01T00:00:00.123Z"));
  assert(iuid.isIuid(id) && iuid.isIuid(id.toUpperCase()) && iuid.isIuid(iuid.MAX) && !iuid.isIuid("919108f7-52d1-4320-9bac-f847db4148a8") && !iuid.isIuid(1));
  for (const wrong of [undefined, null, 1, {}, [id]]) assert.throws(() => iuid.parse(wrong), SyntaxError);
  for (const wrong of [2 ** 53, 1.5, NaN, "caf\ud800", {}, null]) assert.throws(() => iuid.fromName(1, 2, wrong), RangeError);
  for (const wrong of [1.5, "1", NaN, null, undefined]) assert.throws(() => iuid.make(wrong, 1), RangeError);
  assert.throws(() => iuid.makeAt(1, 2, new Date(NaN)), RangeError);
  for (const wrong of [undefined, null]) {
    assert.throws(() => iuid.makeAt(1, 2, wrong), TypeError);
    assert.throws(() => iuid.fromNameAt(1, 2, "a", wrong), TypeError);
    assert.throws(() => iuid.fromUuidAt(id, 1, 2, wrong), TypeError);
  }
  assert.throws(() => iuid.fromBytes(new Uint8Array(15)), RangeError);

  // R12: the clock of make() follows Date, and its parts of milliseconds ascend.
  const now = Date.now;
  const at = (ms) => { Date.now = () => ms; return iuid.fields(iuid.make(7, 1)).time.getTime(); };
  assert.equal(at(4102444800000), 4102444800000);
  assert.equal(at(4102444790001), 4102444800000);
  assert.equal(at(1767225600000), 1767225600000);
  Date.now = now;
}

if (!isMainThread) {
  parentPort.postMessage(Array.from({ length: workerData }, () => iuid.make(7, 1)));
} else if (process.argv[2] === "vectors") {
  start();
  print(readFileSync(0, "utf8").trimEnd().split("\n").map(answer));
} else if (process.argv[2] === "make") {
  await makeInThreads(Number(process.argv[3]));
} else if (process.argv[2] === "turns") {
  await takeTurns();
} else {
  own();
}

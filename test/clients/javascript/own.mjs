// What the vectors do not ask, as other languages have no such arguments: kinds, realms, copies, and
// clocks that a test has stopped.
import assert from "node:assert";
import { runInNewContext } from "node:vm";

import * as iuid from "iuid";

const copy = await import(import.meta.resolve("iuid") + "?copy");

const ID = "019b76da-a87b-807d-8041-23456789abcd";
const HIDDEN = "646b8bbf-f574-4e2e-9aac-ba252c5f7fb2"; // with KEY: doc/format.md
const KEY = Uint8Array.from({ length: 32 }, (_, n) => n);
const AT = new Date("2026-01-01T00:00:00.123Z");

// The arguments of each function.
const maker = new iuid.Maker();
const origins = [
  iuid.make,
  iuid.countryFloor,
  (c, e) => maker.make(c, e),
  (c, e) => maker.makeAt(c, e, AT),
  (c, e) => iuid.makeAt(c, e, AT),
  (c, e) => iuid.fromName(c, e, "a"),
  (c, e) => iuid.fromNameAt(c, e, "a", AT),
  (c, e) => iuid.fromUuid("017f22e2-79b0-7cc3-98c4-dc0c0c07398f", c, e),
  (c, e) => iuid.fromUuidAt(ID, c, e, AT),
];
const texts = [
  iuid.parse,
  iuid.fields,
  iuid.toBytes,
  (text) => iuid.compare(text, ID),
  (text) => iuid.compare(ID, text),
  (text) => iuid.compareCountry(text, ID),
  (text) => iuid.compareCountry(ID, text),
  (text) => iuid.fromUuid(text, 1, 2),
  (text) => iuid.fromUuidAt(text, 1, 2, AT),
  (text) => iuid.hide(text, KEY),
  (text) => iuid.reveal(text, KEY),
];
const keys = [(key) => iuid.hide(ID, key), (key) => iuid.reveal(HIDDEN, key), (key) => iuid.reveal(ID, key)];
const names = [(name) => iuid.fromName(1, 2, name), (name) => iuid.fromNameAt(1, 2, name, AT)];
const times = [
  iuid.floor,
  (at) => iuid.makeAt(1, 2, at),
  (at) => maker.makeAt(1, 2, at),
  (at) => iuid.fromNameAt(1, 2, "a", at),
  (at) => iuid.fromUuidAt(ID, 1, 2, at),
];

function refuse(calls, kind, values) {
  for (const call of calls) for (const value of values) assert.throws(() => call(value), kind, call.toString());
}

const nothing = [null, undefined, true, false, Symbol("a"), {}, [], () => 1];
const says = (value) => ({ toString: () => value, valueOf: () => value, [Symbol.toPrimitive]: () => value });

// R6: nothing is made into what it is not.
const numbers = [...nothing.filter((value) => value !== undefined), "1", "", 1n, [1], new Number(1), says(1), AT, KEY];
const outside = [1.5, NaN, Infinity, -1, 257, 2 ** 53];
for (const call of origins) {
  refuse([(c) => call(c, 1), (e) => call(1, e)], TypeError, numbers);
  refuse([(c) => call(c, 1), (e) => call(1, e)], RangeError, outside);
  assert.throws(() => call(undefined, 1), TypeError);
  if (call !== iuid.countryFloor) assert.throws(() => call(1, undefined), TypeError);
}
assert.equal(iuid.countryFloor(-0, -0), iuid.countryFloor(0));

refuse(texts, TypeError, [...nothing, 1, 1n, [ID], new String(ID), says(ID), Buffer.from(ID), KEY.subarray(16)]);
refuse(texts, SyntaxError, ["", ID + " ", ID + "\n", ID.slice(1), "{" + ID, "urn:uuid:" + ID, ID.replace("0", "\uff10"), ID.replace("0", "\ud800"), "019b76da-a87b-807d-8041-zzzzzzzzzzzz", ID + ID]);
for (const [lower, upper] of [[ID, ID.toUpperCase()], [ID, "{" + ID.replaceAll("-", "") + "}"]]) {
  assert.equal(iuid.compare(lower, upper), 0);
  assert.equal(iuid.compareCountry(lower, upper), 0);
  assert.equal(iuid.hide(upper, KEY), HIDDEN);
  assert.deepEqual(iuid.toBytes(upper), iuid.toBytes(lower));
}
for (const value of [...nothing, 1, [ID], new String(ID), says(ID)]) assert.equal(iuid.isIuid(value), false);

const detached = (length) => {
  const array = new Uint8Array(length);
  structuredClone(array.buffer, { transfer: [array.buffer] });
  return array;
};
const noBytes = (length) => [
  ...nothing, length, 1n, "k".repeat(length), new String("k".repeat(length)), new Array(length), new Array(length).fill(0), { length },
  new Uint8ClampedArray(length), new Int8Array(length), new Uint16Array(length), new Uint16Array(length / 2), new Float64Array(length / 8),
  new BigUint64Array(length / 8), new ArrayBuffer(length), new SharedArrayBuffer(length), new DataView(new ArrayBuffer(length)),
  new Proxy(new Uint8Array(length), {}), Object.create(Uint8Array.prototype), { length, [Symbol.toStringTag]: "Uint8Array" }, says("k"), new Set(KEY), detached(length),
];
refuse(keys, TypeError, noBytes(32));
refuse(keys, RangeError, [new Uint8Array(0), new Uint8Array(31), new Uint8Array(33), Buffer.alloc(64)]);
refuse([iuid.fromBytes], TypeError, noBytes(16));
refuse([iuid.fromBytes], RangeError, [new Uint8Array(0), new Uint8Array(15), new Uint8Array(17), new Uint8Array(16).fill(1)]);
refuse(names, TypeError, [...noBytes(32).filter((value) => typeof value !== "string"), 4711, 4711n]);
refuse(names, RangeError, ["caf\ud800", "\udc00", "\udc00\ud800"]);

refuse(times, TypeError, [
  ...nothing, 1767225600, 1767225600123, 1767225600123000n, "2026-01-01", AT.toISOString(), says(AT), { getTime: () => 0 },
  Object.create(Date.prototype), new Proxy(AT, {}), { [Symbol.toStringTag]: "Date" }, new Number(1767225600123),
]);
refuse(times, RangeError, [new Date(NaN), new Date("2026-13-01")]);
refuse(times.slice(1), RangeError, [new Date(-1), new Date(2 ** 48)]);
assert.deepEqual([-1, 0, 2 ** 48 - 1, 2 ** 48].map((ms) => iuid.floor(new Date(ms))),
  [iuid.NIL, "00000000-0000-8000-8000-000000000000", "ffffffff-ffff-8000-8000-000000000000", iuid.MAX]);

// Bytes and times are taken whatever realm they are of, and wherever they stand in their buffer.
class Key extends Uint8Array {
  get length() { return 5; }
  static get [Symbol.species]() { return Uint16Array; }
}
const shared = new Uint8Array(new SharedArrayBuffer(32));
shared.set(KEY);
const forms = [
  (bytes) => Buffer.from(bytes),
  (bytes) => Uint8Array.of(9, 9, 9, ...bytes, 9).subarray(3, 3 + bytes.length),
  (bytes) => Key.from(bytes),
  (bytes) => runInNewContext(`Uint8Array.of(${bytes})`),
  (bytes) => shared.subarray(bytes[0], bytes[0] + bytes.length),
];
for (const form of forms) {
  assert.equal(iuid.hide(ID, form(KEY)), HIDDEN);
  assert.equal(iuid.reveal(HIDDEN, form(KEY)), ID);
  assert.equal(iuid.fromName(1, 2, form(KEY)), iuid.fromName(1, 2, String.fromCharCode(...KEY)));
}
for (const form of forms.slice(0, 4)) assert.equal(iuid.fromBytes(form(iuid.toBytes(ID))), ID);
class Day extends Date {}
for (const at of [new Day(AT), runInNewContext(`new Date(${+AT})`)]) for (const call of times) assert.deepEqual(iuid.fields(call(at)).time, AT);

// A clock and random bits of one's own are what Maker says.
for (const clock of [[NaN, 0], [1.5, 0], ["1", 0], [1n, 0], [1, NaN], [1, 1e6], [1, -1], [1, "1"], [1]])
  assert.throws(() => new iuid.Maker(() => clock).make(1, 2), RangeError);
for (const random of [() => [1, 2, 3, 4, 5, 6], () => new Uint8Array(5), () => new Uint16Array(6), () => "123456", () => undefined]) {
  assert.throws(() => new iuid.Maker(undefined, random).make(1, 2), TypeError);
  assert.throws(() => new iuid.Maker(undefined, random).makeAt(1, 2, AT), TypeError);
}

// A maker cannot be copied; a module that is loaded twice is two makers (R15).
for (const other of [structuredClone(maker), { ...maker }, Object.create(maker), new Proxy(maker, {})])
  assert.throws(() => other.make(1, 2), TypeError);

// R12: the clock is asked in each call, and is the one that a test has put there.
const clocks = { Date, performance };
const at = (ms, shown = performance.now()) => {
  globalThis.Date = class extends clocks.Date { static now() { return ms; } };
  globalThis.performance = { now: () => shown };
  return iuid.fields(iuid.make(7, 1)).time?.getTime();
};
assert.equal(at(4102444800000), 4102444800000);
assert.equal(at(4102444790001), 4102444800000);
assert.equal(at(1767225600000), 1767225600000);
assert.throws(() => at(NaN), RangeError);
assert.throws(() => at(undefined), RangeError);
assert.equal(at(1767225700000), 1767225700000);
assert.equal(at(1767225800000, NaN), 1767225800000);
assert.equal(at(1767225900000, 0), 1767225900000);
const made = [iuid, copy].map(({ make }) => Array.from({ length: 10000 }, () => make(7, 1)));
for (const ids of made) {
  assert.deepEqual([...ids].sort(), ids);
  for (const id of ids) assert.equal(iuid.fields(id).time.getTime(), 1767225900000);
}
assert.equal(new Set(made.flat()).size, 20000);
Object.assign(globalThis, clocks);
assert(Math.abs(iuid.fields(iuid.make(7, 1)).time - Date.now()) < 1000);

assert.equal(JSON.stringify({ id: iuid.parse("{019B76DAA87B807D804123456789ABCD}") }), `{"id":"${ID}"}`);
assert.deepEqual(iuid.fields(ID.toUpperCase()).time, AT);
assert(iuid.isIuid(ID) && iuid.isIuid(ID.toUpperCase()) && iuid.isIuid(iuid.MAX) && !iuid.isIuid("919108f7-52d1-4320-9bac-f847db4148a8"));

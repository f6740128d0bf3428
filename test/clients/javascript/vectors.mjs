// The calls of clients/vectors.json, in whatever runs JavaScript.
import * as iuid from "iuid";

const given = {};
let maker;

const bytes = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (digits) => parseInt(digits, 16));

// A Date has whole milliseconds: an identifier has those before a time, and floor() those after it.
// A part of the millisecond before 1970 is before 1970.
function dateOf(microseconds, later = 0) {
  const [ms, rest] = [BigInt(microseconds) / 1000n, BigInt(microseconds) % 1000n];
  return new Date(Number(ms) + (rest < 0n ? -1 : rest > 0n ? later : 0));
}

// With a time, and without one, these are two functions.
const timed = (call, callAt, given, at) => (at === null ? call(...given) : callAt(...given, dateOf(at)));
const fromName = (country, entity, name, at) => timed(iuid.fromName, iuid.fromNameAt, [+country, +entity, name], at);

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
  return maker.makeAt(+country, +entity, dateOf(at));
}

function fields(id) {
  const f = iuid.fields(id);
  return [f.time && f.time.getTime(), f.country, f.entity, f.random, f.layout];
}

const calls = {
  read: iuid.parse,
  from_uuid_bits: (uuid) => iuid.fromBytes(iuid.toBytes(uuid)),
  fields,
  floor: (at) => iuid.floor(dateOf(at, 1)),
  country_floor: (country, entity) => iuid.countryFloor(+country, +entity),
  byte_order: (...ids) => ids.sort(iuid.compare),
  country_order: (...ids) => ids.sort(iuid.compareCountry),
  name: fromName,
  name_bytes: (country, entity, hex, at) => fromName(country, entity, bytes(hex), at),
  uuid: (id, country, entity, at) => timed(iuid.fromUuid, iuid.fromUuidAt, [id, +country, +entity], at),
  hide: (id, key) => iuid.hide(id, bytes(key)),
  reveal: (hidden, key) => iuid.reveal(hidden, bytes(key)),
  make_at: makeAt,
  start,
  make,
};

export const say = (value) => "= " + [value].flat().map((v) => v ?? "~").join(" ");

start();
export function answer(call, given) {
  try {
    return say(calls[call](...given));
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof SyntaxError)) throw error;
    return "! " + error.message.replaceAll("\n", " ");
  }
}

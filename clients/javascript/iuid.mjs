/*
 * Identifiers that carry their time, country and entity, as the PostgreSQL extension iuid makes them.
 *
 *    import * as iuid from "iuid";
 *
 *    const id = iuid.make(125, 1);               // new, of this moment: country 125, entity 1
 *    const { time, country, entity } = iuid.fields(id);
 *    iuid.parse("{019B76DAA87B807D804123456789ABCD}");   // "019b76da-a87b-807d-8041-23456789abcd"
 *    iuid.fromName(125, 1, "order 4711");        // the same input always gives the same identifier
 *
 * An identifier is the string that the server writes, so === compares, and sort() sorts by time.  A
 * time is a Date.  What is refused is a SyntaxError or a RangeError, and what is of another kind is a
 * TypeError.  R1 and so on are the rules of doc/format.md.
 *
 * Installed, or copied with iuid.d.mts, this file needs Node 20, or a browser, and nothing else.
 *
 * Copyright (c) 2026, the iuid authors.  SPDX-License-Identifier: PostgreSQL
 */

export const NIL = "00000000-0000-0000-0000-000000000000";
export const MAX = "ffffffff-ffff-ffff-ffff-ffffffffffff";

const LAST_MS = 2 ** 48 - 1;
const RANDOM_MAX = (1n << 54n) - 1n;
const TEN_SECONDS = 10_000n << 12n;

// --- texts (R2, R3, R5) --------------------------------------------------------------------------

const DIGITS = "(?:[0-9a-fA-F]{4}-?){7}[0-9a-fA-F]{4}";
const TEXT = new RegExp(`^(?:${DIGITS}|\\{${DIGITS}\\})$`);
const WRITTEN = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const VALID = new RegExp(`^.{14}8.{4}[89ab]|^${NIL}$|^${MAX}$`);

/** Reads every text that the server reads, and gives the one that it writes. */
export function parse(text) {
  if (typeof text === "string" && WRITTEN.test(text)) return text; // so that compare() is quick
  const id = parseUuid(text);
  if (!VALID.test(id)) throw new SyntaxError(`invalid input syntax for type iuid: "${text}"`);
  return id;
}

export function isIuid(value) {
  return typeof value === "string" && TEXT.test(value) && VALID.test(hyphenate(value));
}

/** The 16 bytes of an identifier, or of another UUID, and back. */
export function toBytes(id) {
  return Uint8Array.from(parseUuid(id).replaceAll("-", "").match(/../g), (digits) => parseInt(digits, 16));
}

export function fromBytes(bytes) {
  const copy = bytesOf(bytes, "the bytes of an iuid");
  if (copy.length !== 16) throw new RangeError(`${copy.length} bytes are not an iuid`);
  const id = hyphenate(Array.from(copy, (byte) => hex(byte, 2)).join(""));
  if (!VALID.test(id)) throw new RangeError(`uuid "${id}" is not an iuid`);
  return id;
}

function parseUuid(text) {
  if (typeof text !== "string") throw new TypeError("the text of an iuid must be a string");
  if (!TEXT.test(text)) throw new SyntaxError(`invalid input syntax for type iuid: "${text}"`);
  return hyphenate(text);
}

function hyphenate(text) {
  return text.toLowerCase().replace(/[{}-]/g, "").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

function hex(number, length) {
  return number.toString(16).padStart(length, "0");
}

// --- fields (R1, R4) and orders (R7) -------------------------------------------------------------

/** The arguments fit; random is a bigint. */
function compose(ms, layout, country, entity, random) {
  const time = hex(ms, 12);
  const low = ((2n << 62n) | (BigInt(entity) << 54n) | random).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-8${hex(layout, 1)}${hex(country, 2)}-${low.slice(0, 4)}-${low.slice(4)}`;
}

const bitsOf = (id) => BigInt("0x" + id.replaceAll("-", ""));
const countryOf = (id) => parseInt(id.slice(16, 18), 16);
const entityOf = (id) => (parseInt(id.slice(19, 23), 16) >> 6) & 255;

/** The fields of an identifier; null for those that it does not have. */
export function fields(text) {
  const id = parse(text);
  const layout = id === NIL || id === MAX ? null : parseInt(id[15], 16);
  const ms = layout === 0 ? parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : null;
  const known = layout === 0 || layout === 1;
  return {
    time: ms === null ? null : new Date(ms),
    country: known ? countryOf(id) : null,
    entity: known ? entityOf(id) : null,
    random: known ? bitsOf(id) & RANDOM_MAX : null,
    layout,
  };
}

/** Byte order, for sort(): time first. */
export function compare(a, b) {
  const [first, second] = [parse(a), parse(b)];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** Order by origin, for sort(): country, entity, bytes. */
export function compareCountry(a, b) {
  const [first, second] = [parse(a), parse(b)];
  return countryOf(first) - countryOf(second) || entityOf(first) - entityOf(second) || compare(first, second);
}

// --- new identifiers (R10 to R15) ----------------------------------------------------------------

/*
 * A call for each identifier would take longer than all the rest.  A process that starts from a
 * snapshot of another one, as of node --build-snapshot, has an origin of its own (R15).
 */
const pool = new Uint8Array(8192);
let left = 0;
let origin;
function systemRandom(count) {
  if (left < count || origin !== performance.timeOrigin) {
    crypto.getRandomValues(pool);
    left = pool.length;
    origin = performance.timeOrigin;
  }
  left -= count;
  const bytes = pool.slice(left, left + count);
  pool.fill(0, left, left + count);
  return bytes;
}

/*
 * Date has whole milliseconds.  The part of the millisecond comes from the clock of performance, which
 * does not follow the system clock.  So the difference of both is kept, and is corrected whenever the
 * sum would be outside the millisecond that Date shows.
 */
let difference = 0;
function systemClock() {
  const ms = Date.now();
  const shown = performance.now();
  const part = shown + (difference - ms);
  const inside = part > 0 ? Math.min(part, 0.999999) : 0;
  if (inside !== part) difference = ms + inside - shown;
  return [ms, Math.floor(inside * 1e6)];
}

/**
 * Makes identifiers that ascend.  Most programs call make(), which is that of one Maker for the
 * process; each worker has its own.  clock() gives the milliseconds since 1970, and the nanoseconds
 * after them; random(count) gives random bytes.
 */
export class Maker {
  #clock;
  #random;
  #reading; // in 4096ths of a millisecond since 1970
  #last = null; // the lower 42 bits are the tail, the others the time

  constructor(clock = systemClock, random = systemRandom) {
    this.#clock = clock;
    this.#random = random;
  }

  make(country, entity) {
    checkOrigin(country, entity);
    const [ms, nanoseconds] = this.#clock();
    if (!isWithin(ms, LAST_MS) || !isWithin(nanoseconds, 999_999)) throw new RangeError(`system clock is out of range for type iuid: ${ms} ms since 1970`);
    const now = (BigInt(ms) << 12n) | BigInt(Math.floor((nanoseconds * 4096) / 1e6));
    const bits = toBigInt(this.#random(6), 6);
    if (this.#last === null || this.#reading - now > TEN_SECONDS || now > this.#last >> 42n) {
      this.#reading = now;
      this.#last = (now << 42n) | BigInt.asUintN(42, bits);
    } else {
      this.#last += 1n + BigInt.asUintN(32, bits);
    }
    const last = this.#last;
    if (Number(last >> 54n) > LAST_MS) {
      this.#last = null;
      throw new RangeError("system clock is out of range for type iuid: no room after the last identifier");
    }
    return compose(Number(last >> 54n), 0, country, entity, last & RANDOM_MAX);
  }

  /** A new identifier of a given time; all its random bits are random (R14). */
  makeAt(country, entity, at) {
    checkOrigin(country, entity);
    return compose(msOf(at), 0, country, entity, toBigInt(this.#random(8), 8) & RANDOM_MAX);
  }
}

function toBigInt(bytes, count) {
  if (!isUint8Array(bytes) || bytes.length !== count) throw new TypeError(`random bytes must be a Uint8Array of ${count}`);
  let digits = "0x";
  for (const byte of bytes) digits += hex(byte, 2);
  return BigInt(digits);
}

const maker = new Maker();
export const make = (country, entity) => maker.make(country, entity);
export const makeAt = (country, entity, at) => maker.makeAt(country, entity, at);

// --- bounds (R8, R9) -----------------------------------------------------------------------------

/** The smallest identifier at or after a time, which has whole milliseconds. */
export function floor(at) {
  const ms = timeOf(at);
  if (ms < 0) return NIL;
  return ms > LAST_MS ? MAX : compose(msOf(at), 0, 0, 0, 0n);
}

/** The smallest identifier of a country and entity in order by origin; both can be 256. */
export function countryFloor(country, entity = 0) {
  checkOrigin(country, entity, 256);
  const next = entity === 256;
  return country + next > 255 ? MAX : compose(0, 0, country + next, next ? 0 : entity, 0n);
}

// --- derived identifiers (R16 to R19) ------------------------------------------------------------

/** The identifier of a string or of bytes, of layout 1. */
export function fromName(country, entity, name) {
  checkOrigin(country, entity);
  const [high, low] = digest("iuid.name", bytesOfName(name));
  return compose(Number(high >> 16n), 1, country, entity, low & RANDOM_MAX);
}

/** The same with a time, in layout 0. */
export function fromNameAt(country, entity, name, at) {
  checkOrigin(country, entity);
  return compose(msOf(at), 0, country, entity, digest("iuid.name", bytesOfName(name))[1] & RANDOM_MAX);
}

/** The identifier of a UUID of version 1, 6 or 7, with its time. */
export function fromUuid(uuid, country, entity) {
  checkOrigin(country, entity);
  const id = parseUuid(uuid);
  const [, a, b, c, d] = /^(.{8})-(.{4})-(.)(.{3})-[89ab]/.exec(id) ?? [];
  if (c === "7") {
    const random = (BigInt("0x" + d) << 42n) | BigInt.asUintN(42, bitsOf(id) >> 20n);
    return compose(parseInt(a + b, 16), 0, country, entity, random);
  }
  if (c !== "1" && c !== "6") throw new RangeError(`uuid "${id}" has no time for an iuid: only UUIDs of versions 1, 6 and 7 have one`);
  const ticks = BigInt("0x" + (c === "1" ? d + b + a : a + b + d)) - 0x01b21dd213814000n;
  if (ticks < 0n) throw new RangeError(`uuid "${id}" has no time for an iuid: its time is before 1970`);
  return compose(Number(ticks / 10_000n), 0, country, entity, digestOfUuid(id));
}

/** The identifier of any UUID and a time. */
export function fromUuidAt(uuid, country, entity, at) {
  checkOrigin(country, entity);
  return compose(msOf(at), 0, country, entity, digestOfUuid(uuid));
}

function digestOfUuid(uuid) {
  return digest("iuid.uuid", toBytes(uuid))[1] & RANDOM_MAX;
}

/** Half a character has no UTF-8. */
function bytesOfName(name) {
  if (typeof name === "string") {
    if (/\p{Surrogate}/u.test(name)) throw new RangeError("a name must be a well-formed string");
    return utf8(name);
  }
  return bytesOf(name, "a name that is no string");
}

// --- hidden identifiers (R20, R21) ---------------------------------------------------------------

const ROUNDS = 30n;
const HALF = (1n << 61n) - 1n;

/** A UUID of version 4 that tells nothing without the key, a Uint8Array of 32 bytes. */
export function hide(id, key) {
  const k = roundKey(key);
  const shown = parse(id);
  if (!/^.{14}8[01]/.test(shown)) throw new RangeError(`iuid "${shown}" cannot be hidden`);
  let [left, right] = halves(shown);
  for (let round = 0n; round < ROUNDS; round++) [left, right] = [right, left ^ (sipHash(k, round, right) & HALF)];
  return fromHalves(left, right, "4");
}

/** The identifier that was hidden; null for a UUID that no identifier gives. */
export function reveal(uuid, key) {
  const k = roundKey(key);
  const hidden = parseUuid(uuid);
  if (!/^.{14}4.{4}[89ab]/.test(hidden)) return null;
  let [left, right] = halves(hidden);
  for (let round = ROUNDS - 1n; round >= 0n; round--) [left, right] = [right ^ (sipHash(k, round, left) & HALF), left];
  const id = fromHalves(left, right, "8");
  return /^.{14}8[01]/.test(id) ? id : null;
}

/** BLAKE2b with a key, whose first block is the key. */
function roundKey(key) {
  const bytes = bytesOf(key, "a key that hides identifiers");
  if (bytes.length !== 32) throw new RangeError("a key that hides identifiers must have 32 bytes");
  const block = new Uint8Array(128);
  block.set(bytes);
  const view = new DataView(new ArrayBuffer(16));
  digest("iuid.hide", block, 32).forEach((word, i) => view.setBigUint64(8 * i, word));
  return [view.getBigUint64(0, true), view.getBigUint64(8, true)];
}

/** The 122 bits without version and variant. */
function halves(id) {
  const bits = bitsOf(id);
  const all = ((bits >> 80n) << 74n) | (((bits >> 64n) & 0xfffn) << 62n) | BigInt.asUintN(62, bits);
  return [all >> 61n, all & HALF];
}

function fromHalves(left, right, version) {
  const all = (left << 61n) | right;
  const low = (2n << 62n) | BigInt.asUintN(62, all);
  return hyphenate(hex(all >> 74n, 12) + version + hex((all >> 62n) & 0xfffn, 3) + hex(low, 16));
}

/** SipHash-2-4 of two words. */
function sipHash([k0, k1], first, second) {
  const v = BigUint64Array.of(k0 ^ 0x736f6d6570736575n, k1 ^ 0x646f72616e646f6dn, k0 ^ 0x6c7967656e657261n, k1 ^ 0x7465646279746573n);
  const rotate = (word, by) => (word << by) | (word >> (64n - by));
  const mix = (rounds) => {
    for (; rounds > 0; rounds--) {
      v[0] += v[1];
      v[2] += v[3];
      v[1] = rotate(v[1], 13n) ^ v[0];
      v[3] = rotate(v[3], 16n) ^ v[2];
      v[0] = rotate(v[0], 32n);
      v[0] += v[3];
      v[2] += v[1];
      v[1] = rotate(v[1], 17n) ^ v[2];
      v[3] = rotate(v[3], 21n) ^ v[0];
      v[2] = rotate(v[2], 32n);
    }
  };
  for (const word of [first, second, 16n << 56n]) {
    v[3] ^= word;
    mix(2);
    v[0] ^= word;
  }
  v[2] ^= 0xffn;
  mix(4);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

// --- arguments (R6) ------------------------------------------------------------------------------

function checkOrigin(country, entity, limit = 255) {
  for (const [what, number] of [["country", country], ["entity", entity]]) {
    if (typeof number !== "number") throw new TypeError(`${what} must be a number`);
    if (!isWithin(number, limit)) throw new RangeError(`${what} ${number} is out of range for type iuid: 0 to ${limit}`);
  }
}

function isWithin(number, limit) {
  return Number.isInteger(number) && number >= 0 && number <= limit;
}

function msOf(at) {
  const ms = timeOf(at);
  if (!isWithin(ms, LAST_MS)) throw new RangeError(`time ${at} is out of range for type iuid`);
  return ms;
}

/** The milliseconds of a Date of any realm, NaN if it is invalid. */
function timeOf(at) {
  try {
    return Date.prototype.getTime.call(at);
  } catch {
    throw new TypeError("a time must be a Date");
  }
}

/* This getter knows a Uint8Array of any realm; instanceof knows its own realm's. */
const { get: typedArrayName } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag);
const isUint8Array = (value) => typedArrayName.call(value) === "Uint8Array";

/** A copy, which cannot be made of a buffer that was transferred. */
function bytesOf(value, what) {
  if (!isUint8Array(value)) throw new TypeError(`${what} must be a Uint8Array`);
  return new Uint8Array(value);
}

/** Without TextEncoder, which Jest with jsdom does not have. */
function utf8(text) {
  return Uint8Array.from(encodeURIComponent(text).match(/%..|./g) ?? [], (byte) => (byte[1] ? parseInt(byte.slice(1), 16) : byte.charCodeAt()));
}

// --- BLAKE2b with personalization, which JavaScript does not have (R16) --------------------------

const IV = BigUint64Array.of(
  0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n, 0x9b05688c2b3e6c1fn, 0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n);

/* The order of the words of a block in each round: RFC 7693, section 2.7. */
const SIGMA = [
  "0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8", "905724afe1bc683d",
  "2c6a0b834d75fe19", "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5", "a2847615fb9e3cd0",
].map((digits) => Array.from(digits, (digit) => parseInt(digit, 16)));

/** The 16 bytes as two big-endian words.  A key is the first block of the message. */
function digest(personal, message, keyLength = 0) {
  // The parameter block: 16 bytes of digest, the key, fanout and depth 1; from byte 48 the personalization.
  const parameters = new Uint8Array(64);
  parameters.set([16, keyLength, 1, 1]);
  parameters.set(utf8(personal), 48);
  const h = words(parameters).map((word, i) => word ^ IV[i]);
  for (let done = 0; ; ) {
    const block = new Uint8Array(128);
    block.set(message.subarray(done, done + 128));
    done = Math.min(done + 128, message.length);
    compress(h, words(block), BigInt(done), done === message.length);
    if (done === message.length) break;
  }
  const view = new DataView(h.buffer);
  h.forEach((word, i) => view.setBigUint64(8 * i, word, true));
  return [view.getBigUint64(0), view.getBigUint64(8)];
}

function words(bytes) {
  const view = new DataView(bytes.buffer);
  return BigUint64Array.from({ length: bytes.length / 8 }, (_, i) => view.getBigUint64(8 * i, true));
}

/** The function F of RFC 7693, section 3.2.  What is stored in v is cut to 64 bits. */
function compress(h, m, done, last) {
  const v = BigUint64Array.of(...h, ...IV);
  v[12] ^= done;
  if (last) v[14] = ~v[14];
  const rotate = (word, by) => (word >> by) | (word << (64n - by));
  const mix = (a, b, c, d, x, y) => {
    v[a] += v[b] + x;
    v[d] = rotate(v[d] ^ v[a], 32n);
    v[c] += v[d];
    v[b] = rotate(v[b] ^ v[c], 24n);
    v[a] += v[b] + y;
    v[d] = rotate(v[d] ^ v[a], 16n);
    v[c] += v[d];
    v[b] = rotate(v[b] ^ v[c], 63n);
  };
  for (let round = 0; round < 12; round++) {
    const s = SIGMA[round % 10];
    for (let i = 0; i < 4; i++) mix(i, 4 + i, 8 + i, 12 + i, m[s[2 * i]], m[s[2 * i + 1]]);
    for (let i = 0; i < 4; i++) mix(i, 4 + ((i + 1) % 4), 8 + ((i + 2) % 4), 12 + ((i + 3) % 4), m[s[8 + 2 * i]], m[s[9 + 2 * i]]);
  }
  for (let i = 0; i < 8; i++) h[i] ^= v[i] ^ v[i + 8];
}

/** Types of iuid.mjs. */

declare const brand: unique symbol;

/** The text that the server writes: 36 characters in lower case. */
export type Iuid = string & { readonly [brand]: "iuid" };

export interface Fields {
  time: Date | null;
  country: number | null;
  entity: number | null;
  random: bigint | null;
  layout: number | null;
}

export const NIL: Iuid;
export const MAX: Iuid;

/** Throws a SyntaxError if the text is no identifier. */
export function parse(text: string): Iuid;
/** Whether parse() takes it.  A string that is none stays a string. */
export function isIuid(value: unknown): value is string & { readonly [brand]: "iuid" | "text" };
/** What crypto.subtle, Blob and fetch take, in every version of TypeScript. */
export function toBytes(id: string): ReturnType<typeof Uint8Array.of>;
export function fromBytes(bytes: Uint8Array): Iuid;
export function fields(id: string): Fields;

/** For sort(). */
export function compare(a: Iuid, b: Iuid): number;
export function compareCountry(a: Iuid, b: Iuid): number;

export class Maker {
  constructor(clock?: () => [milliseconds: number, nanoseconds: number], random?: (count: number) => Uint8Array);
  make(country: number, entity: number): Iuid;
  makeAt(country: number, entity: number, at: Date): Iuid;
}

export function make(country: number, entity: number): Iuid;
export function makeAt(country: number, entity: number, at: Date): Iuid;

export function floor(at: Date): Iuid;
export function countryFloor(country: number, entity?: number): Iuid;

export function fromName(country: number, entity: number, name: string | Uint8Array): Iuid;
export function fromNameAt(country: number, entity: number, name: string | Uint8Array, at: Date): Iuid;
export function fromUuid(uuid: string, country: number, entity: number): Iuid;
export function fromUuidAt(uuid: string, country: number, entity: number, at: Date): Iuid;

/** A UUID of version 4 that tells nothing without the key of 32 bytes, and back. */
export function hide(id: string, key: Uint8Array): string;
export function reveal(hidden: string, key: Uint8Array): Iuid | null;

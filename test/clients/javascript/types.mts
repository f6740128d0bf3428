// The types say what iuid.mjs takes, and nothing else.
import * as iuid from "iuid";

const id: iuid.Iuid = iuid.make(125, 1);
const at: Date | null = iuid.fields(id).time;
const shown: string = iuid.hide(id, new Uint8Array(32));
const back: iuid.Iuid | null = iuid.reveal(shown, new Uint8Array(32));
const ids: iuid.Iuid[] = [iuid.floor(new Date()), iuid.countryFloor(125), iuid.fromName(125, 1, "4711"), iuid.fromNameAt(125, 1, "a", new Date())];
ids.sort(iuid.compareCountry);
export const digest = crypto.subtle.digest("SHA-256", iuid.toBytes(id));
export function route(text: string): iuid.Iuid {
  if (!iuid.isIuid(text)) throw new Error(text.slice(0, 40));
  return iuid.parse(text);
}
export { at, back };

// @ts-expect-error
iuid.make("125", 1);
// @ts-expect-error
iuid.make(125n, 1);
// @ts-expect-error
iuid.makeAt(125, 1, Date.now());
// @ts-expect-error
iuid.makeAt(125, 1, 1767225600123000n);
// @ts-expect-error
iuid.fromNameAt(125, 1, "a", "2026-01-01");
// @ts-expect-error
iuid.fromUuidAt(shown, 125, 1, 1767225600123000n);
// @ts-expect-error
iuid.floor(1767225600123000n);
// @ts-expect-error
iuid.hide(id, "kJh-sPqRtUvWxYzAbCdEfGhIjKlMnOpQ");
// @ts-expect-error
iuid.hide(id, new Uint16Array(32));
// @ts-expect-error
iuid.reveal(shown, new Array<number>(32));
// @ts-expect-error
iuid.fromBytes(new ArrayBuffer(16));
// @ts-expect-error
iuid.fromName(125, 1, true);
// @ts-expect-error
iuid.compare(1, 2);

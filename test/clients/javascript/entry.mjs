// All vectors, and new identifiers: what is bundled, and runs in a page, in Node, and where there is
// nothing but the language and the clock and random bits of a browser.
import { compare, fields, make } from "iuid";
import file from "./vectors.json" with { type: "json" };
import { answer, say } from "./vectors.mjs";

const wrong = file.vectors.filter(({ call, given, gives, error }) => {
  const said = answer(call, given.flat());
  return error ? !said.startsWith("! ") : said !== say(gives);
});

// Each copy on a page makes identifiers that ascend, and none of another copy.
const all = (globalThis.made ??= new Set());
const before = all.size;
const begin = Date.now();
const ids = Array.from({ length: 1000 }, () => make(7, 1));
ids.forEach((id) => all.add(id));
const ascend = ids.every((id, n) => n === 0 || compare(ids[n - 1], id) < 0);
const present = fields(ids[0]).time >= begin && fields(ids[999]).time <= Date.now();

(globalThis.report ?? console.log)(`${file.vectors.length} vectors, ${wrong.length} wrong; ${all.size - before} made, ${ascend && present}`);

import { randomUUID } from "node:crypto";

import { make } from "../../../clients/javascript/iuid.mjs";

for (const [way, call] of [["make(7, 1)", () => make(7, 1)], ["crypto.randomUUID()", () => randomUUID()]]) {
  const count = Number(process.argv[2]);
  const begin = process.hrtime.bigint();
  for (let i = 0; i < count; i++) call();
  console.log(`${way}\t${Number(process.hrtime.bigint() - begin) / count}`);
}

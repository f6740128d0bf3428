// Bundles entry.mjs as projects do, and runs what comes out in Chromium and in Node; then the types,
// and what else needs a package of npm, which the current folder has.
import assert from "node:assert";
import { execFile, execFileSync } from "node:child_process";
import { createReadStream, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { createContext, runInContext } from "node:vm";

import * as iuid from "iuid";

const folder = process.cwd();
const require = createRequire(import.meta.url);
const node = (...options) => execFileSync(process.execPath, options, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

const esbuild = require("esbuild");
const webpack = require("webpack");
const FakeTimers = require("@sinonjs/fake-timers");
const build = (entry, outfile, options) => esbuild.build({ entryPoints: [entry], bundle: true, outfile, logLevel: "error", ...options });
async function pack(filename, target) {
  const stats = await promisify(webpack)({ mode: "production", target, entry: "./entry.mjs", output: { path: folder, filename } });
  assert(!stats.hasErrors() && !stats.hasWarnings(), stats.toString());
}

await build("entry.mjs", "esbuild-esm.js", { format: "esm", platform: "browser" });
await build("entry.mjs", "esbuild-iife.js", { format: "iife", platform: "browser" });
await build("entry.mjs", "esbuild.cjs", { format: "cjs", platform: "node" });
await build("snapshot.mjs", "snapshot.cjs", { format: "cjs", platform: "node" });
await pack("webpack-web.js", "web");
await pack("webpack.cjs", "node");

const { vectors } = JSON.parse(readFileSync("vectors.json"));
const good = `${vectors.length} vectors, 0 wrong; 1000 made, true`;

// In Chromium: three bundles and the files as they are, all on one page, whose map says where the package is.
const scripts = { "esbuild-iife.js": "", "webpack-web.js": "", "esbuild-esm.js": "module", "entry.mjs": "module" };
const page = "<!doctype html><meta charset=utf-8><script>said = []; report = (text) => { said.push(text); document.title = said.join('; '); }; onerror = report;</script>" +
  '<script type=importmap>{"imports":{"iuid":"/node_modules/iuid/iuid.mjs"}}</script>' +
  Object.entries(scripts).map(([src, type]) => `<script src="/${src}" type="${type}"></script>`).join("");
const server = createServer(({ url }, response) => {
  response.setHeader("Content-Type", url === "/" ? "text/html" : url.endsWith(".json") ? "application/json" : "text/javascript");
  if (url === "/") response.end(page);
  else createReadStream(join(folder, url)).on("error", () => response.writeHead(404).end()).pipe(response);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const { stdout } = await promisify(execFile)("chromium", ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync", `--user-data-dir=${join(folder, "chromium")}`,
  "--dump-dom", `http://127.0.0.1:${server.address().port}/`], { timeout: 120_000 });
server.close();
assert.equal(/<title>(.*)<\/title>/s.exec(stdout)?.[1], Array(4).fill(good).join("; "));
console.log(`Chromium: ${Object.keys(scripts).join(", ")}`);

// In Node.
for (const file of ["esbuild.cjs", "webpack.cjs"]) assert.equal(node(file), good + "\n", file);
console.log("Node: esbuild.cjs, webpack.cjs");
if (process.features.require_module) {
  assert.equal(node("-e", 'import("iuid").then(({ make }) => console.log(require("iuid").make === make))'), "true\n");
  console.log("Node: require() and import give one module");
} else {
  console.log(`SKIPPED: require() of a module, which Node ${process.versions.node} does not have`);
}

// R15: processes that start from a snapshot do not use the random bits of the one that it is of.
if (parseInt(process.versions.node) >= 20) {
  node("--snapshot-blob", "snapshot.blob", "--build-snapshot", "snapshot.cjs");
  const [one, other] = [0, 1].map(() => node("--snapshot-blob", "snapshot.blob"));
  assert(iuid.isIuid(one.trim()) && one !== other, one);
  console.log("Node: two processes of one snapshot");
} else {
  console.log(`SKIPPED: snapshots, as Node ${process.versions.node} is older than the client asks for`);
}

// Jest with jsdom runs its tests in a realm that has no TextEncoder.
const said = [];
runInContext(readFileSync("esbuild-iife.js", "utf8"), createContext({ crypto, performance, report: (text) => said.push(text) }));
assert.deepEqual(said, [good]);
console.log("Node: another realm, without TextEncoder");

// Fake timers, those of Jest and Vitest: time stands still, and identifiers ascend.
const clock = FakeTimers.install({ now: 1767225600000 });
const ids = Array.from({ length: 1000 }, () => iuid.make(7, 1));
assert.deepEqual([...ids].sort(), ids);
for (const id of ids) assert.equal(+iuid.fields(id).time, 1767225600000);
assert.equal(+iuid.fields(iuid.makeAt(7, 1, new Date())).time, 1767225600000);
clock.tick(1);
assert.equal(+iuid.fields(iuid.make(7, 1)).time, 1767225600001);
clock.uninstall();
assert(Math.abs(iuid.fields(iuid.make(7, 1)).time - Date.now()) < 1000);
console.log("Node: fake timers");

node(require.resolve("typescript/bin/tsc"), "--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom", "--typeRoots", "none", "--module", "nodenext", "types.mts");
console.log("TypeScript: types.mts");

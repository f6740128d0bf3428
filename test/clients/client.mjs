// clients/javascript for check.py.
import { readFileSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

import { make } from "iuid";
import { answer } from "./javascript/vectors.mjs";

const texts = { read: 0, name: 2 };

function answerLine(line) {
  const [call, ...given] = line.split("\t");
  return answer(call, given.map((a, n) => (a === "~" ? null : n === texts[call] ? Buffer.from(a, "hex").toString() : a)));
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
  for await (const _ of createInterface({ input: process.stdin })) print([make(7, 1)]);
}

if (!isMainThread) {
  parentPort.postMessage(Array.from({ length: workerData }, () => make(7, 1)));
} else if (process.argv[2] === "vectors") {
  print(readFileSync(0, "utf8").trimEnd().split("\n").map(answerLine));
} else if (process.argv[2] === "make") {
  await makeInThreads(Number(process.argv[3]));
} else if (process.argv[2] === "turns") {
  await takeTurns();
} else {
  await import("./javascript/own.mjs");
}

// A process that has made identifiers, for a snapshot of it, and those that start from there.
import { makeAt } from "iuid";

makeAt(7, 1, new Date());
require("node:v8").startupSnapshot.setDeserializeMainFunction(() => console.log(makeAt(7, 1, new Date(0))));

import { test } from "node:test";
import { ENGINE, openTestStore } from "../../helpers/database.ts";
import { testStore } from "./conformance.ts";

if (ENGINE === "sqlite") testStore("a store on SQLite", openTestStore);
else test("a store on SQLite passes the tests of every store", { skip: "runs in the pass on SQLite" });

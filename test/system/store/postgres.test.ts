import { test } from "node:test";
import { ENGINE, openTestStore } from "../../helpers/database.ts";
import { testStore } from "./conformance.ts";

if (ENGINE === "postgres") testStore("a store on PostgreSQL", openTestStore);
else test("a store on PostgreSQL passes the tests of every store", { skip: "runs in the pass on PostgreSQL" });

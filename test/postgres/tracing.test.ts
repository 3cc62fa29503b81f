import { test } from "node:test";
import { startPostgres } from "../helpers/postgres.ts";
import { assertTracedOverRestart } from "../helpers/trace-over-restart.ts";

test("a change in one process and its delivery by another are one trace", async () => {
  await using server = await startPostgres();
  await assertTracedOverRestart({ DATABASE_URL: await server.createDatabase() });
});

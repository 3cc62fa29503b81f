/** The store of each released version is upgraded as its users do it: nothing that readers and receivers had is lost or changed. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { describe, test } from "node:test";
import { VERSION } from "../../src/process/installed-package.ts";
import { FROZEN } from "../../src/store/schema.ts";
import { type CliOptions, serveCli } from "../helpers/cli.ts";
import { cliJson, runCli } from "../helpers/cli-in-process.ts";
import { testDatabase } from "../helpers/database.ts";
import { tempFolder } from "../helpers/folder.ts";
import { FULL_STORE_SETTINGS } from "../helpers/full-store.ts";
import { Client } from "../helpers/http.ts";
import { queryAt } from "../helpers/postgres-databases.ts";
import { until } from "../helpers/until.ts";
import { assertSigned, ScriptedReceiver } from "../helpers/webhooks.ts";
import { isReleased, keptVersions, POSTGRES, readAnswers, readKept, readRecorded, SQLITE } from "./kept-store.ts";

test("the store of this version, or of the one before it, is kept", () => {
  const kept = keptVersions();
  assert.ok(kept.includes(VERSION), `test/upgrades/released has no ${VERSION}: run "npm run keep-store".`);
});

for (const version of keptVersions()) {
  describe(`the store of ${version}`, () => {
    const { migrations, store, answers } = readRecorded(version);

    test("has the migrations that this version begins with", () => {
      for (const [name, sha256] of Object.entries(migrations)) {
        const advice = isReleased(version)
          ? `${name} was released with ${version}: add a new migration instead of editing it.`
          : `${name} is not that of the kept store: run "npm run keep-store".`;
        assert.equal(FROZEN[name]?.sha256, sha256, advice);
      }
    });

    test("is upgraded, and readers, receivers and exports get what they got before", async () => {
      await using folder = await tempFolder();
      await using database = await testDatabase({ isEmpty: true });
      await using receiver = await ScriptedReceiver.start();
      const { settings } = database;
      const options: CliOptions = {
        cwd: folder.path,
        data: folder.at("data"),
        env: { ...FULL_STORE_SETTINGS, ...settings },
      };
      if (settings["DATABASE_URL"] === undefined) {
        mkdirSync(folder.at("data"), { mode: 0o700 });
        writeFileSync(folder.at("data/rostrum.db"), readKept(version, SQLITE), { mode: 0o600 });
      } else {
        await queryAt(settings["DATABASE_URL"], readKept(version, POSTGRES).toString());
        // Another server counted its transactions further than this one, which would hold them back.
        for (const table of ["events", "website_changes"]) {
          await queryAt(settings["DATABASE_URL"], `UPDATE public.${table} SET xid = '3'`);
        }
      }
      await cliJson(["migrate"], options);
      // What has waited since that version goes to another address, signed with the secret of that time.
      await cliJson(["webhook", "update", store.waiting.id, "--url", receiver.url], options);
      {
        await using serving = await serveCli(options);
        const found = await readAnswers(serving.url, store.key, options);
        assertContains(found, answers, "");
        using client = new Client(serving.url);
        const reply = await client.send("/api/public/articles", { headers: { "X-API-Key": store.revokedKey } });
        assert.equal(reply.status, 401);
        for (const word of [store.word, store.wordIn]) {
          const path = `/api/public/articles?q=${encodeURIComponent(word)}`;
          const { text } = await client.send(path, { headers: { "X-API-Key": store.key } });
          assert.match(text, /"total":1\b/, word);
        }
        assertSigned(await receiver.arrival(1), store.waiting.secret);
        const stdin = '{"title":"New","content":"<p>New since</p>","status":"published"}';
        await cliJson(["article", "create", "--website", store.websiteId, "--file", "-"], { ...options, stdin });
        await until("the new article is delivered", () => receiver.titles.includes("New"));
      }
      const doctor = await runCli(["doctor"], options);
      assert.match(doctor.stdout, /^ok {4}schema {4}as this version makes it$/m, doctor.stdout);
    });
  });
}

/** Later versions may add fields, and nothing else. */
function assertContains(found: unknown, recorded: unknown, path: string): void {
  if (typeof recorded !== "object" || recorded === null || typeof found !== "object" || found === null) {
    assert.deepEqual(found, recorded, path);
  } else {
    if (Array.isArray(recorded)) assert.equal((found as unknown[]).length, recorded.length, path);
    for (const [key, value] of Object.entries(recorded)) {
      assertContains((found as Record<string, unknown>)[key], value, `${path}/${key}`);
    }
  }
}

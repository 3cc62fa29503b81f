/** The secret key is replaced while services go on, and nothing is left that only the earlier key opens. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { glob, rename } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { type App, openApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/process/settings/config.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { deriveSecretKey, type SecretBox, secretBox } from "../../src/domain/system/secret-box.ts";
import { createEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { createSender, rotateSender } from "../../src/operations/articles/senders/senders.ts";
import { addMember } from "../../src/operations/people/members.ts";
import { listAudit } from "../../src/operations/system/audit.ts";
import { resealTexts } from "../../src/operations/system/secret-key-rotation.ts";
import { createWebsite } from "../../src/operations/website/websites.ts";
import { insertMail } from "../../src/store/system/email-outbox.ts";
import { beginTotp, confirmTotp } from "../../src/store/people/second-factors.ts";
import { loadSigner, pseudonym } from "../../src/operations/system/signing-keys.ts";
import { listSealedTexts, SEALED_KINDS, type SealedKind } from "../../src/store/system/sealed-texts.ts";
import { cliJson, runCli } from "../helpers/cli-in-process.ts";
import { testDatabase } from "../helpers/database.ts";
import { tempFolder } from "../helpers/folder.ts";
import { record, records } from "../helpers/http.ts";

const WEBHOOK = { url: "https://192.0.2.1/hook", headers: { "X-Token": "hush" } };
const OPEN = { ROSTRUM_WEBHOOK_ALLOW_CIDRS: "192.0.2.0/24" };
const MAILS = 150;

/** Something sealed of every kind; of mails more than are sealed anew at once. */
async function seal(app: App): Promise<string> {
  const { id } = await createWebsite(app, { name: "W", url: null, urlPattern: null }, CLI_ORIGIN);
  await createEndpoint(app, id, WEBHOOK, CLI_ORIGIN);
  const { sender } = await createSender(app, id, { kind: "generic", name: "A generator", secret: null }, CLI_ORIGIN);
  await rotateSender(app, sender.id, null, CLI_ORIGIN);
  const person = { email: "ada@example.com", name: "Ada", role: "owner", websiteId: null } as const;
  const { accountId } = (await addMember(app, person, CLI_ORIGIN)).member;
  const sealed = app.secrets().seal("JBSWY3DPEHPK3PXP", accountId);
  await app.store.write(async (db) => {
    await beginTotp(db, accountId, sealed, 1);
    await confirmTotp(db, { accountId, sealed }, 1, 2);
    for (let count = 0; count < MAILS; count++) {
      const mail = { id: app.newId(), websiteId: null, createdAt: 1, expiresAt: 2, tries: 0, readyAt: 1 };
      await insertMail(db, { ...mail, content: app.secrets().seal("A link.", mail.id) });
    }
  });
  await app.store.write(async (db) => {
    await loadSigner(db, app, 1);
    await pseudonym(db, app, "website", "account");
  });
  return id;
}

async function doctor(options: Parameters<typeof runCli>[1]): Promise<string> {
  const { stdout } = await runCli(["doctor", "--json"], options);
  const finding = records(record(JSON.parse(stdout))["findings"]).find(({ check }) => check === "secrets");
  return `${String(finding?.["ok"])}: ${String(finding?.["detail"])}`;
}

function box(key: string): SecretBox {
  return secretBox(deriveSecretKey(key) ?? Buffer.alloc(0), randomBytes);
}

test("a service with both keys keeps running, the command may be interrupted, and then the earlier key can be removed", async () => {
  await using folder = await tempFolder();
  await using database = await testDatabase();
  const [earlier, later] = [randomBytes(32).toString("hex"), randomBytes(32).toString("hex")];
  const data = folder.at("data");
  const settings = (keys: Record<string, string>) => ({ ...database.settings, ...OPEN, ...keys });
  const open = (keys: Record<string, string>) =>
    openApp(readConfig({ ROSTRUM_DATA_DIR: data, ...settings(keys) }, folder.path), { migrates: true });
  let websiteId: string;
  {
    await using app = await open({ ROSTRUM_SECRET_KEY: earlier });
    websiteId = await seal(app);
  }
  const both = { ROSTRUM_SECRET_KEY: later, ROSTRUM_SECRET_KEY_PREVIOUS: earlier };
  const options = { data, cwd: folder.path, env: settings(both) };
  const keys = { current: box(later), previous: box(earlier) };
  const total = MAILS + 7;
  {
    await using app = await open(both);
    const texts = async () =>
      (
        await Promise.all(SEALED_KINDS.map((kind) => app.store.read((db) => listSealedTexts(db, kind, "", 1_000))))
      ).flat();
    const before = await texts();
    assert.equal(before.length, total);
    for (const { sealed, context } of before) app.secrets().open(sealed, context);
    await createEndpoint(app, websiteId, WEBHOOK, CLI_ORIGIN);
    assert.match(
      await doctor(options),
      new RegExp(`^true: .*; ${total} secrets still need ROSTRUM_SECRET_KEY_PREVIOUS`),
    );
    let batches = 0;
    const stopped = resealTexts(app, keys, CLI_ORIGIN, () => {
      if (++batches === 8) throw new Error("stopped");
    });
    await assert.rejects(stopped, /stopped/);
    // Each kind is a batch of its own, and mails are two.
    const rotated = await cliJson(["key", "rotate-secret"], options);
    assert.deepEqual(rotated, { rotated: MAILS - 100, already: total + 2 - (MAILS - 100), closed: 0 });
    assert.deepEqual(await cliJson(["key", "rotate-secret"], options), { rotated: 0, already: total + 2, closed: 0 });
    const { entries } = await listAudit(app, { websiteId: null, about: "keys", after: null, limit: 2 });
    // The run that was stopped, and the one that went on; the last one found nothing to do.
    assert.deepEqual(
      entries.map(({ action, actor }) => [action, actor]),
      [
        ["secret_key.rotated", "cli"],
        ["secret_key.rotated", "cli"],
      ],
    );
    const after = await texts();
    assert.equal(after.length, total + 2);
    for (const { sealed, context } of after) keys.current.open(sealed, context);
    const earlierTexts = new Set(before.map(({ sealed }) => sealed));
    assert.ok(after.every(({ sealed }) => !earlierTexts.has(sealed)));
  }
  assert.match(await doctor(options), /^true: .*; nothing needs ROSTRUM_SECRET_KEY_PREVIOUS any more: remove it$/);
  const alone = { ...options, env: settings({ ROSTRUM_SECRET_KEY: later }) };
  assert.match(
    await doctor(alone),
    /^true: the key opens the signing secrets of 2 webhooks, the secrets of 1 authenticators, the secrets of 1 senders and the secrets of 2 review keys/,
  );
  const refused = await runCli(["key", "rotate-secret"], alone);
  assert.deepEqual([refused.code, refused.stdout], [78, ""]);
  const wrong = { ...options, env: settings({ ...both, ROSTRUM_SECRET_KEY: randomBytes(32).toString("hex") }) };
  const closed = await runCli(["key", "rotate-secret"], wrong);
  assert.equal(closed.code, 1);
  assert.match(closed.stderr, new RegExp(`^Neither key decrypts ${total + 2} secrets`));
});

test("every column that the source seals is in the list of sealed columns", async () => {
  const kinds: Record<string, SealedKind[]> = {
    "operations/webhooks/endpoints.ts": ["signing secrets", "signing secrets", "webhook headers"],
    "operations/people/second-factors.ts": ["authenticators"],
    "operations/system/email-outbox.ts": ["mails"],
    // A new one, and one in place of another.
    "operations/articles/senders/senders.ts": ["secrets of senders", "previous secrets of senders"],
    "operations/system/signing-keys.ts": ["keys of review records", "key of pseudonyms"],
    // Seals anew what is in the list.
    "operations/system/secret-key-rotation.ts": [...SEALED_KINDS].slice(0, 1),
  };
  // Seal what a link in an e-mail holds, and what an unknown sender is compared with: neither is stored.
  const unstored = { "operations/people/unsubscribe.ts": 1, "operations/articles/senders/receive.ts": 1 };
  const root = join(import.meta.dirname, "..", "..", "src");
  const found: Record<string, number> = {};
  for await (const file of glob("**/*.ts", { cwd: root })) {
    const calls = readFileSync(join(root, file), "utf8").match(/\bseal\(/g)?.length ?? 0;
    if (calls > 0 && !file.endsWith(".test.ts") && file !== "domain/system/secret-box.ts") found[file] = calls;
  }
  assert.deepEqual(
    found,
    { ...Object.fromEntries(Object.entries(kinds).map(([file, sealed]) => [file, sealed.length])), ...unstored },
    "A new column that is sealed belongs into SEALED_COLUMNS (store/system/sealed-texts.ts), and here.",
  );
  assert.deepEqual([...new Set(Object.values(kinds).flat())].toSorted(), SEALED_KINDS.toSorted());
});

test("a key that was made in the data folder is replaced by moving it aside", async () => {
  await using folder = await tempFolder();
  const data = folder.at("data");
  {
    await using app = await openApp(readConfig({ ROSTRUM_DATA_DIR: data, ...OPEN }, folder.path), { migrates: true });
    await seal(app);
  }
  await rename(folder.at("data/secret.key"), folder.at("data/secret.key.earlier"));
  const options = {
    data,
    cwd: folder.path,
    env: { ROSTRUM_SECRET_KEY_PREVIOUS_FILE: folder.at("data/secret.key.earlier") },
  };
  assert.match(await doctor(options), /^true: .*secrets still need ROSTRUM_SECRET_KEY_PREVIOUS/);
  const rotated = await cliJson(["key", "rotate-secret"], options);
  assert.deepEqual(rotated, { rotated: MAILS + 7, already: 0, closed: 0 });
  assert.match(await doctor({ data, cwd: folder.path }), /^true: the key opens/);
});

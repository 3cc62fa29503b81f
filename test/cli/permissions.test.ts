/** Nobody but the service's user may open what it writes, whatever the umask says. */
import assert from "node:assert/strict";
import { chmod, chown, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { cliJson, runCli, serveCli } from "../helpers/cli.ts";
import { tempFolder } from "../helpers/folder.ts";
import { record, records } from "../helpers/http.ts";
import { png } from "../helpers/pictures.ts";
import { until } from "../helpers/until.ts";

/** The commands that this file starts have it, too. */
before(() => void process.umask(0));

async function modes(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of [".", ...(await readdir(folder, { recursive: true }))]) {
    found[name] = ((await stat(join(folder, name))).mode & 0o777).toString(8);
  }
  return found;
}

async function filesFinding(data: string, env: Record<string, string> = {}) {
  const { stdout, code } = await runCli(["doctor", "--json"], { data, cwd: "/", env });
  const finding = records(record(JSON.parse(stdout))["findings"]).find((one) => one["check"] === "files");
  return { code, ok: finding?.["ok"], detail: String(finding?.["detail"]) };
}

describe("without a umask", { skip: process.platform === "win32" }, () => {
  test("data folder, database, its log, the key, the lock, backups, exports and restored data are for their owner alone", async () => {
    await using folder = await tempFolder();
    const data = folder.at("made/data");
    const run = (...args: string[]) =>
      cliJson(args, { data, cwd: folder.path, env: { ROSTRUM_WEBHOOK_ALLOW_CIDRS: "192.0.2.0/24" } });
    const website = String((await run("website", "create", "--name", "W"))["id"]);
    await run("webhook", "create", "--website", website, "--url", "https://192.0.2.1/hook");
    {
      await using _server = await serveCli({ data, cwd: folder.path });
      await until("the note of who serves is there", async () => (await readdir(data)).includes("rostrum.db.holder"));
      await runCli(["website", "list"], { data, cwd: folder.path });
      const served = await modes(folder.at("made"));
      assert.deepEqual(
        [".", "data", ...["", "-wal", "-shm", ".holder", ".lock"].map((suffix) => `data/rostrum.db${suffix}`)].map(
          (name) => served[name],
        ),
        ["700", "700", "600", "600", "600", "600", "600"],
      );
      assert.equal(served["data/secret.key"], "600");
    }
    await run("backup", folder.at("made/backup.db"));
    // As an earlier version left it.
    await chmod(folder.at("made/backup.db"), 0o644);
    await run("restore", folder.at("made/backup.db"));
    await runCli(["export", "--website", website, "--output", folder.at("made/all.ndjson")], { data });
    await run("migrate-store", "--to", `sqlite:${folder.at("made/other/copy.db")}`);
    await chmod(folder.at("made/backup.db"), 0o600);
    for (const [name, mode] of Object.entries(await modes(folder.at("made")))) {
      // The last is the socket of a takeover.
      const isEntered = [".", "data", "other", "data/rostrum.db.control"].includes(name);
      assert.equal(mode, isEntered ? "700" : "600", name);
    }
  });

  test("a start restricts permissions that an earlier version left open, and doctor reports them before", async () => {
    await using folder = await tempFolder();
    const data = folder.at("data");
    await cliJson(["website", "create", "--name", "W"], { data, cwd: folder.path });
    await chmod(data, 0o755);
    await chmod(join(data, "rostrum.db"), 0o644);
    await writeFile(join(data, "secret.key"), "ab".repeat(32), { mode: 0o644 });
    const found = await filesFinding(data);
    assert.deepEqual([found.code, found.ok], [78, false]);
    assert.match(found.detail, /secret\.key has mode 644: other users .* chmod 600/);
    assert.match(found.detail, /rostrum\.db has mode 644/);
    {
      await using _server = await serveCli({ data, cwd: folder.path });
    }
    assert.deepEqual(new Set(Object.values(await modes(data))), new Set(["700", "600"]));
    assert.deepEqual(await filesFinding(data), { code: 0, ok: true, detail: "for their owner alone" });
  });

  test("a folder with other files keeps its mode, and they keep theirs; a world-writable one is reported", async () => {
    await using folder = await tempFolder();
    const data = folder.at("shared");
    await mkdir(data, { mode: 0o755 });
    await writeFile(join(data, "rostrum.db.md"), "notes", { mode: 0o644 });
    await cliJson(["website", "create", "--name", "W"], { data, cwd: folder.path });
    await chmod(join(data, "rostrum.db"), 0o644);
    {
      await using _server = await serveCli({ data, cwd: folder.path });
    }
    const { ".": own, "rostrum.db": database, "rostrum.db.md": notes } = await modes(data);
    assert.deepEqual([own, database, notes], ["755", "600", "644"]);
    assert.equal((await filesFinding(data)).code, 0);
    await chmod(data, 0o777);
    const found = await filesFinding(data);
    assert.match(found.detail, /shared has mode 777: other users of this machine can change the files in it/);
    await rm(join(data, "rostrum.db.md"));
  });

  test("doctor reports a settings file that everybody can read; its group may read it", async () => {
    await using folder = await tempFolder();
    const file = folder.at("key");
    await writeFile(file, "ab".repeat(32), { mode: 0o644 });
    const env = { ROSTRUM_SECRET_KEY_FILE: file };
    const found = await filesFinding(folder.at("data"), env);
    assert.deepEqual([found.code, found.ok], [78, false]);
    assert.equal(
      found.detail,
      `${file} contains a secret that every user of this machine can read: run chmod o= ${file}`,
    );
    await chmod(file, 0o640);
    assert.equal((await filesFinding(folder.at("data"), env)).code, 0);
  });
});

test(
  "what root makes in the data folder of another user is that user's, so that the service can use it",
  { skip: process.getuid?.() !== 0 },
  async () => {
    await using folder = await tempFolder();
    const [data, user] = [folder.at("data"), 65_534];
    await mkdir(data);
    await chown(data, user, user);
    const env = { ROSTRUM_WEBHOOK_ALLOW_CIDRS: "192.0.2.0/24" };
    const run = (...args: string[]) => cliJson(args, { data, cwd: folder.path, env });
    await run("website", "create", "--name", "W");
    await run("webhook", "create", "--website", "W", "--url", "https://192.0.2.1/hook");
    await mkdir(folder.at("site"));
    await writeFile(folder.at("site/a.png"), png(3, 3));
    await writeFile(folder.at("site/a.md"), "# A\n\n![a](a.png)\n");
    await run("import", folder.at("site"), "--website", "W");
    await run("backup", folder.at("backup.db"));
    const names = await readdir(data, { recursive: true });
    assert.ok(names.includes("secret.key") && names.some((name) => /^assets\/.*\/./.test(name)), names.join(" "));
    for (const name of names) assert.equal((await stat(join(data, name))).uid, user, name);
    assert.equal((await stat(folder.at("backup.db"))).uid, 0);
  },
);

/** A continuous backup, written by Litestream itself, is restored, listed and verified: whole, damaged, and where there is none. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openApp, openAssetFiles } from "../../src/app/app.ts";
import { backupPlace } from "../../src/backup/backup-url.ts";
import { listGenerations, listLog } from "../../src/backup/copies.ts";
import { findLitestream } from "../../src/backup/litestream.ts";
import { openObjects } from "../../src/backup/objects.ts";
import { PictureCopier } from "../../src/backup/pictures.ts";
import { readConfig } from "../../src/process/settings/config.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { addAsset } from "../../src/operations/articles/assets/assets.ts";
import { Bucket } from "../helpers/bucket.ts";
import { cliJson, type CommandOptions, runCli } from "../helpers/cli-in-process.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { png } from "../helpers/pictures.ts";
import { leash } from "../helpers/processes.ts";
import { makeSite, type Site } from "../helpers/site.ts";
import { until } from "../helpers/until.ts";

const hasLitestream = process.platform !== "win32";
/** The bucket tells times to the second. */
const SECOND_MS = 1_100;

for (const kind of ["folder", "bucket"] as const) {
  describe(`a continuous backup in a ${kind}`, { skip: !hasLitestream }, () => {
    let folder: Folder;
    let bucket: Bucket;
    let site: Site;
    let env: Record<string, string>;
    /** When the first of two articles was there. */
    let moment: number;
    const url = () => (kind === "folder" ? `file:${folder.at("copies")}` : "s3://copies/of/tea");
    const command = (args: string[], more: CommandOptions = {}) =>
      runCli(args, { env, data: folder.at("data"), cwd: folder.path, ...more });
    const articles = async (data = folder.at("data")) => {
      const { stdout } = await runCli(["article", "list", "--website", "W", "--json"], { data });
      return (JSON.parse(stdout) as { title: string }[]).map(({ title }) => title).toSorted();
    };
    const inEmptyFolder = async <T>(work: (data: string) => Promise<T>): Promise<T> => {
      const data = folder.at(`data-${Math.random()}`);
      try {
        return await work(data);
      } finally {
        rmSync(data, { recursive: true, force: true });
      }
    };
    const config = (data = folder.at("data")) =>
      readConfig({ ...env, ROSTRUM_DATA_DIR: data, ROSTRUM_BACKUP_URL: url() }, folder.path);
    const place = () => config().backup.place ?? assert.fail("there is no place");

    before(async () => {
      folder = await tempFolder();
      bucket = new Bucket("copies");
      env = kind === "bucket" ? await bucket.start() : {};
      env["PATH"] = process.env["PATH"] ?? "";
      site = await makeSite(folder.at("data"));
      await using _replication = await replicate(`${folder.at("data")}/rostrum.db`);
      await site.create({ title: "one", content: "<p>x</p>" });
      await copied(1);
      await sleep(SECOND_MS);
      moment = Date.now();
      await sleep(SECOND_MS);
      await site.create({ title: "two", content: "<p>x</p>" });
      await addPicture();
      await copied(2);
    });

    after(async () => {
      if (kind === "bucket") await bucket[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    });

    /** Runs Litestream beside what writes. */
    async function replicate(path: string): Promise<AsyncDisposable> {
      const { replica } = backupPlace(place());
      const replicas = [{ ...replica.config, "sync-interval": "100ms", "snapshot-interval": "1h" }];
      const dbs = [{ path, "monitor-interval": "100ms", replicas }];
      // JSON is YAML.
      writeFileSync(folder.at("litestream.yml"), JSON.stringify({ dbs }));
      const program = await findLitestream(process.env["PATH"], () => undefined);
      const child = leash(
        spawn(program, ["replicate", "-config", folder.at("litestream.yml")], {
          env: replica.environment,
          stdio: "ignore",
        }),
      );
      return {
        [Symbol.asyncDispose]: async () => {
          child.kill();
          await once(child, "exit");
        },
      };
    }

    async function addPicture(): Promise<void> {
      await using app = await openApp(config());
      writeFileSync(folder.at("p.png"), png(3, 3));
      await addAsset(app, site.website, { path: folder.at("p.png"), name: "p.png", alt: "" }, CLI_ORIGIN);
      const copier = new PictureCopier({
        ...app,
        copies: openAssetFiles({ assets: backupPlace(place()).pictures, dataDir: folder.at("cache") }),
        objects: openObjects(place()),
        place: place(),
        keepMs: 1_000,
        log: { info: () => undefined, warn: (_, message) => assert.fail(message), error: () => assert.fail() },
      });
      await copier.run();
    }

    const copied = (count: number) =>
      until(
        `${count} articles are copied`,
        async () =>
          await inEmptyFolder(async (data) => {
            const { code } = await command(["restore", "--from", url()], { data });
            return code === 0 && (await articles(data)).length === count;
          }),
      );

    test("it brings back what was copied last, or what was there at a time", async () => {
      await inEmptyFolder(async (data) => {
        const done = await cliJson(["restore", "--from", url()], { env, data });
        assert.equal(done["pictures"], 1);
        assert.deepEqual(await articles(data), ["one", "two"]);
        // An event's number is never given to another one.
        await using app = await openApp(config(data));
        const row = await app.store.read((db) => db.get("SELECT event_sequence FROM websites"));
        assert.ok((row?.event_sequence ?? 0) >= 1_000_000);
        assert.equal((await app.store.read((db) => db.all("SELECT id FROM assets"))).length, 1);
      });
      await inEmptyFolder(async (data) => {
        const local = { data, env: { ...env, ROSTRUM_BACKUP_URL: url() } };
        const { kept, at } = await cliJson(["restore", "--at", new Date(moment).toISOString()], local);
        assert.equal(kept, null);
        assert.ok(Date.parse(String(at)) <= moment);
        assert.deepEqual(await articles(data), ["one"]);
        // What is there is kept.
        const again = await cliJson(["restore"], local);
        assert.ok(existsSync(String(again["kept"])));
        assert.deepEqual(await articles(data), ["one", "two"]);
        assert.deepEqual(
          readdirSync(data).filter((name) => name.includes(".restoring")),
          [],
        );
      });
    });

    test("it is listed, and verified with all its pictures", async () => {
      const { ranges, pictures } = (await cliJson(["backup", "list", "--from", url()], { env, cwd: folder.path })) as {
        ranges: { from: string; to: string; complete: boolean }[];
        pictures: { files: number };
      };
      assert.ok(ranges.every(({ complete }) => complete));
      assert.ok(Date.parse(ranges[0]?.from ?? "") < moment && Date.parse(ranges.at(-1)?.to ?? "") > moment);
      assert.equal(pictures.files, 1);
      const verified = await command(["backup", "verify", "--from", url(), "--json"]);
      assert.equal(verified.code, 0, verified.stderr);
      const { websites, articles, missing } = verified.json() as Record<string, unknown>;
      assert.deepEqual([websites, articles, missing], [1, 2, []]);
      const earlier = await command(["backup", "verify", "--from", url(), "--at", new Date(moment).toISOString()]);
      assert.match(earlier.stdout, /1 websites, 1 articles, 0 pictures\.$/m);
    });

    /** The command fails with one sentence, and leaves nothing behind. */
    async function refuses(args: string[], sentence: RegExp, code = 1, more: CommandOptions = {}): Promise<void> {
      await inEmptyFolder(async (data) => {
        const result = await command(args, { data, ...more });
        assert.equal(result.code, code, result.stderr);
        assert.match(result.stderr, sentence);
        assert.equal(result.stderr.trim().split("\n").length, 1, result.stderr);
        const left = existsSync(data) ? readdirSync(data).filter((name) => name !== "rostrum.db.lock") : [];
        assert.deepEqual(left, []);
      });
    }

    test("a time without copies, and a place without any, are told apart", async () => {
      const from = ["--from", url()];
      for (const name of ["restore", "backup verify"]) {
        const verb = name.split(" ");
        await refuses(
          [...verb, ...from, "--at", "2020-01-01T00:00:00Z"],
          /begin at 20\d\d-.*: name that time or a later/,
        );
        await refuses([...verb, ...from, "--at", "2999-01-01"], /--at is 2999-.*, which is in the future/, 2);
        await refuses([...verb, ...from, "--at", "yesterday"], /--at is "yesterday"; write it like/, 2);
        await refuses(verb, /Say where the copies are, with --from or as ROSTRUM_BACKUP_URL/, 2);
        const empty = kind === "folder" ? `file:${folder.at("data")}` : "s3://copies/elsewhere";
        await refuses([...verb, "--from", empty], /There are no copies of a database in .*: check the address/);
        await refuses([...verb, "--from", "ftp://x"], /--from is "ftp:\/\/x"; it must be file:<folder>, or s3/, 78);
      }
      await refuses(["restore", "x.db", ...from], /--from and --at are for continuous backups/, 2);
      if (kind === "folder") {
        await refuses(["backup", "list", "--from", `file:${folder.at("nowhere")}`], /There is no folder .*nowhere/);
        const file = `file:${folder.at("litestream.yml")}`;
        await refuses(["backup", "list", "--from", file], /litestream\.yml is no folder: check the address/);
        await refuses(["restore", "--from", file], /litestream\.yml is no folder: check the address/);
        return;
      }
      await refuses(["restore", "--from", "s3://other"], /There is no bucket "other" at http/);
      const wrong = { env: { ...env, ROSTRUM_S3_SECRET_ACCESS_KEY: "wrong" } };
      await refuses(
        ["restore", ...from],
        /refuses the access key \(SignatureDoesNotMatch\): check ROSTRUM_S3/,
        78,
        wrong,
      );
      bucket.clockAheadMs = 3_600_000;
      await refuses(["restore", ...from], /refuses this machine's clock, which is wrong/, 78);
      bucket.clockAheadMs = 0;
      const away = { env: { ...env, ROSTRUM_S3_ENDPOINT: "http://127.0.0.1:9" } };
      await refuses(
        ["restore", ...from],
        /The bucket "copies" at http:\/\/127.0.0.1:9 cannot be reached now/,
        69,
        away,
      );
    });

    test("damaged copies are found, and say until when the rest goes", { skip: kind === "bucket" }, async () => {
      const broken = folder.at("broken");
      const from = ["--from", `file:${broken}`];
      const damage = (work: (generation: string) => void) => {
        rmSync(broken, { recursive: true, force: true });
        cpSync(folder.at("copies"), broken, { recursive: true, preserveTimestamps: true });
        const [id = ""] = readdirSync(`${broken}/database/generations`);
        work(`${broken}/database/generations/${id}`);
      };
      const parts = async () => {
        const objects = openObjects({ kind: "folder", path: broken, isShared: true });
        const [generation] = await listGenerations(objects);
        return listLog(objects, generation ?? assert.fail(), 0);
      };
      const hole =
        /have a hole: a file after 20.* is missing or damaged\. The database can be restored as it was then, with --at (\S+),/;
      for (const spoil of [
        (path: string) => rmSync(path),
        (path: string) => truncateSync(path, readFileSync(path).length - 20),
        (path: string) => writeFileSync(path, "no LZ4"),
      ]) {
        damage(() => undefined);
        const log = await parts();
        const middle = log.at(-2) ?? assert.fail();
        spoil(`${broken}/${middle.name}`);
        await refuses(["restore", ...from], hole);
        await refuses(["backup", "verify", ...from], hole);
      }
      damage((generation) => truncateSync(`${generation}/snapshots/00000000.snapshot.lz4`, 1_000));
      const { stderr } = await command(["backup", "verify", ...from]);
      assert.match(stderr, /The snapshot of .* is damaged, and there is none before it/);
      damage((generation) => rmSync(`${generation}/snapshots`, { recursive: true }));
      await refuses(["restore", ...from], /There are no copies of a database in/);
      damage(() => rmSync(`${broken}/pictures`, { recursive: true }));
      const { code, stderr: missing } = await command(["backup", "verify", ...from]);
      assert.equal(code, 1);
      assert.match(missing, /1 of the pictures are missing in .*, such as /);
    });
  });
}

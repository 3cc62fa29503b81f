/** The workflows of deploy/ci: their scripts push to a real service, and say what became of the articles. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { after, test } from "node:test";
import { text } from "node:stream/consumers";
import { parse } from "yaml";
import { createManagementClient } from "../../client/src/management/index.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createToken } from "../../src/operations/people/access-tokens.ts";
import { tempFolder } from "../helpers/folder.ts";
import { record, records } from "../helpers/http.ts";
import { startTestService } from "../helpers/service.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const input = { name: "CI", scope: "draft" as const, expiresAt: null };
const { secret: token } = await createToken(service.app, service.website.id, input, CLI_ORIGIN);
const { articles } = createManagementClient({ url: service.url, token });

const read = (name: string) => record(parse(readFileSync(join(ROOT, "deploy", "ci", name), "utf8")));

/** Programs that the script calls: the command of this checkout, and others that note how they were called. */
async function newJob() {
  const folder = await tempFolder();
  const bin = folder.at("bin");
  mkdirSync(bin);
  const add = (name: string, script: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  add("rostrum", `exec "${process.execPath}" "${join(ROOT, "bin", "rostrum.js")}" "$@"`);
  for (const name of ["gh", "curl"]) add(name, `echo "$@" >> "${folder.at("calls")}"`);
  mkdirSync(folder.at("content"));
  return {
    folder,
    write: (name: string, content: string) => writeFileSync(join(folder.at("content"), name), content),
    calls: () => readFileSync(folder.at("calls"), "utf8"),
    async run(script: string, env: Record<string, string>) {
      const child = spawn("bash", ["-e", "-o", "pipefail", "-c", script], {
        cwd: folder.path,
        env: { PATH: `${bin}:/usr/bin:/bin`, ROSTRUM_TOKEN: token, ROSTRUM_URL: service.url, ...env },
        stdio: ["ignore", "pipe", "pipe"],
      });
      const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
      return { out, err, code: Number(code) };
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const GOOD = "---\ntitle: Tea\n---\nText.\n";
const BAD = "---\ntitle: Bad\nquality_metrics: good\n---\nText.\n";

test("GitHub's workflow sends the articles, says in a pull request what would become of them, and fails with them", async () => {
  const steps = records(record(record(read("github.yml")["jobs"])["push"])["steps"]);
  const script = String(steps.at(-1)?.["run"]);
  await using job = await newJob();
  const { folder } = job;
  const env = { RUNNER_TEMP: folder.path, GITHUB_STEP_SUMMARY: folder.at("summary.md"), PULL_REQUEST: "7" };
  job.write("good.md", GOOD);
  const would = await job.run(script, env);
  assert.deepEqual([would.code, would.out], [0, ""], would.err);
  assert.match(would.err, /^Would be: 1 created/);
  job.write("bad.md", BAD);
  assert.equal((await job.run(script, env)).code, 1);
  assert.match(job.calls(), /^pr comment 7 --body-file .*comment\.md --edit-last --create-if-none\n$/);
  assert.equal((await articles.list()).total, 0);
  const pushed = await job.run(script, { ...env, PULL_REQUEST: "" });
  assert.equal(pushed.code, 1);
  assert.match(readFileSync(folder.at("summary.md"), "utf8"), /`bad\.md`: .*must be a JSON object/);
  assert.equal((await articles.list()).total, 1);
});

test("GitLab's job does the same", async () => {
  const script = (record(read("gitlab.yml")["articles"])["script"] as string[]).at(-1) ?? "";
  await using job = await newJob();
  const review = {
    CI_MERGE_REQUEST_IID: "3",
    GITLAB_COMMENT_TOKEN: "t",
    CI_API_V4_URL: "https://gitlab.test/api/v4",
    CI_PROJECT_ID: "9",
  };
  job.write("other.md", GOOD.replace("Tea", "Coffee"));
  job.write("bad.md", BAD);
  const before = (await articles.list()).total;
  const would = await job.run(script, review);
  assert.equal(would.code, 1);
  assert.match(would.out, /`bad\.md`/);
  assert.match(job.calls(), /merge_requests\/3\/notes/);
  assert.equal((await articles.list()).total, before);
  job.write("bad.md", GOOD.replace("Tea", "Cocoa"));
  const pushed = await job.run(script, {});
  assert.deepEqual([pushed.code, pushed.out], [0, ""], pushed.err);
  assert.equal((await articles.list()).total, before + 2);
});

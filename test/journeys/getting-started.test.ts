/** From an empty website to its first webhook: runs the page's examples exactly as shown. */
import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, execFile, spawn, spawnSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Locator, Page } from "playwright-core";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { SERVES_MS } from "../helpers/cli.ts";
import { Agent } from "../helpers/agent.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { record, records } from "../helpers/http.ts";
import type { TestService } from "../helpers/service.ts";
import { freePort } from "../helpers/postgres-server.ts";
import { leash } from "../helpers/processes.ts";
import { until } from "../helpers/until.ts";
import { LOOPBACK } from "../helpers/webhooks.ts";
import type { Browser as Person } from "../people/dashboard.ts";
import { documentedFile, documentedVariables } from "../sites/documented-files.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";

const journey = shared(() => startJourney(LOOPBACK));

const GUIDES = [
  { name: "Next.js", guide: "next.md", file: "app/blog/[slug]/page.jsx" },
  { name: "Astro", guide: "astro-server.md", file: "src/pages/blog/[slug].astro" },
  { name: "SvelteKit", guide: "sveltekit.md", file: "src/routes/hooks/rostrum/+server.js" },
  { name: "Nuxt", guide: "nuxt.md", file: "server/routes/hooks/rostrum.post.ts" },
];

const PAGE = "/dashboard/getting-started";
const HAS_PYTHON = runs("python3");
const HAS_CURL = runs("curl");
const HAS_NPX = runs("npx");

test("a key is created, the page's requests run as shown, and the ticks appear by themselves", async () => {
  const { service, people, open } = journey();
  const website = await service.newWebsite({ name: "From nothing", url: "https://site.test" });
  await using visit = await open(`${PAGE}?website=${website.id}`, { as: await people.owner() });
  const { page } = visit;
  await page.getByText("There are no articles yet.").waitFor();
  await visit.axe();
  const content = "<p>What the request is to bring.</p>";
  const { article } = await createArticle(
    service.app,
    website.id,
    { title: 'It\'s "quoted"', content, status: "published" },
    CHIEF,
  );
  const request = step(page, "A first request");
  await request.getByText("There are no articles yet.").waitFor({ state: "detached" });
  await request.getByText("Waiting for the first request").waitFor();
  assert.ok((await example(request, "curl")).includes("YOUR_API_KEY"));

  await page.getByRole("button", { name: "Create a key" }).click();
  const key = await page.getByRole("region", { name: "the key" }).innerText();
  await step(page, "An API key").getByText("Created").waitFor();
  await visit.axe();
  const curl = await example(request, "curl");
  assert.ok(curl.includes(key) && curl.includes(article.id) && curl.includes(service.url), curl);

  if (HAS_CURL) assert.match(await run("sh", ["-c", curl]), /What the request is to bring/);
  await using folder = await tempFolder();
  await writeFile(folder.at("articles.mjs"), await example(request, "JavaScript"));
  const printed = await run(process.execPath, [folder.at("articles.mjs")]);
  assert.equal(printed, `1 articles\n${article.slug} It's "quoted"\n${content}\n`);
  await request.getByText("First request received").waitFor();

  if (HAS_PYTHON) {
    await writeFile(folder.at("articles.py"), await example(request, "Python"));
    assert.equal(await run("python3", [folder.at("articles.py")]), printed);
  }
  for (const { name, guide, file } of GUIDES) {
    await request.getByRole("tab", { name, exact: true }).click();
    const environment = request.getByRole("region", { name: `the environment of the ${name} site` });
    const given = (await environment.innerText()).trimEnd().split("\n");
    assert.deepEqual(
      given.map((line) => line.split("=")[0]),
      documentedVariables(guide),
    );
    assert.ok(
      given.includes(`ROSTRUM_API_KEY=${key}`) && given.some((line) => line.endsWith("=https://site.test")),
      name,
    );
    await request.getByRole("button", { name: file, exact: true }).click();
    // innerText without a final newline, as somebody would copy it.
    const shown = (
      await request.getByRole("region", { name: `the code of ${file}`, exact: true }).innerText()
    ).trimEnd();
    assert.equal(shown, documentedFile(guide, file).trimEnd(), "the dashboard shows the guide's own code");
  }
  await visit.axe();

  // It was shown only this once.
  await page.reload();
  await step(page, "An API key").getByText("Created").waitFor();
  assert.ok((await example(request, "curl")).includes("YOUR_API_KEY"));
});

test("each way of bringing articles in works as shown, and what comes in says which way it came", async () => {
  const { service, people, open } = journey();
  const website = await service.newWebsite({ name: "Brought in" });
  const owner = await people.owner();
  await using visit = await open(`${PAGE}?website=${website.id}`, { as: owner });
  const { page } = visit;
  const bringing = step(page, "Bring articles in");
  await bringing.getByText("No articles yet").waitFor();
  await bringing.getByRole("button", { name: "Create an access token" }).click();
  const token = await page.getByRole("region", { name: "the access token" }).innerText();
  await visit.axe();
  await using folder = await tempFolder();
  const commands = { cwd: folder.path, env: await withCommand(service, folder) };

  if (HAS_NPX) {
    assert.match(await run("sh", ["-c", await example(bringing, "Import")], commands), /1 created/);
    await bringing.getByText("Done").waitFor();
  }
  if (HAS_CURL) {
    const answer: unknown = JSON.parse(await run("sh", ["-c", await example(bringing, "API")], commands));
    assert.equal(record(answer)["outcome"], "created");
  }
  // What it prints to standard output failed, or is held.
  if (HAS_NPX) assert.equal(await run("sh", ["-c", await example(bringing, "Repository")], commands), "");
  const { rostrum } = record(record(JSON.parse(await example(bringing, "Agent")))["mcpServers"]);
  const { url, headers, type } = record(rostrum);
  assert.deepEqual([type, record(headers)["Authorization"]], ["http", `Bearer ${token}`]);
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  const transport = new StreamableHTTPClientTransport(new URL(String(url)), { requestInit });
  await using agent = await Agent.connect(transport, "2026-07-28");
  await agent.call("create_draft", { title: "An article by an agent", markdown: "Written by an agent." });
  await visit.axe();

  await bringing.getByRole("tab", { name: "Files" }).click();
  await bringing.getByRole("link", { name: "Drop files" }).click();
  await page.getByRole("heading", { level: 1, name: "Import" }).waitFor();
  const { articles } = await owner.json("GET", `/articles?website_id=${website.id}&view=all`);
  const origins = new Map<unknown, unknown>();
  for (const { id, title } of records(articles)) {
    const { origin } = await owner.json("GET", `/articles/${String(id)}`);
    origins.set(title, record(origin)["kind"]);
  }
  const expected = [
    ["An article by an agent", "api", true],
    ["An article by a script", "api", HAS_CURL],
    ["An article from Git", "push", HAS_NPX],
    ["An imported article", "import", HAS_NPX],
  ] as const;
  const tried = expected.filter(([, , isTried]) => isTried).map(([title, kind]) => [title, kind] as const);
  assert.deepEqual(origins, new Map<unknown, unknown>(tried));
});

test("the page's receivers accept signed messages, refuse others, and their tick appears by itself", async () => {
  const { service, people, open } = journey();
  const website = await service.newWebsite({ name: "To be told" });
  const { article } = await createArticle(
    service.app,
    website.id,
    makeArticle({ title: "News", status: "published" }),
    CHIEF,
  );
  const owner = await people.owner();
  await using visit = await open(`${PAGE}?website=${website.id}`, { as: owner });
  const { page } = visit;
  const webhook = step(page, "A webhook");
  await webhook.getByText("None yet").waitFor();
  const receivers = [
    { name: "Node", file: "receiver.mjs", command: process.execPath, isThere: true },
    { name: "Python", file: "receiver.py", command: "python3", isThere: HAS_PYTHON },
  ];
  await using folder = await tempFolder();
  for (const { name, file, command } of receivers.filter(({ isThere }) => isThere)) {
    await writeFile(folder.at(file), await example(webhook, name));
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const made = await owner.json("POST", "/webhooks", { website_id: website.id, url }, 201);
    await using receiver = await startReceiver(command, folder.at(file), port, String(made["secret"]));
    const unsigned = await fetch(url, { method: "POST", body: "{}" });
    assert.equal(unsigned.status, 401, name);
    await sendTest(owner, String(record(made["webhook"])["id"]), name);
    await until(`${name} says what came`, () => receiver.printed().includes(`article.published ${article.id}`));
    await webhook.getByText("First delivery received").waitFor();
  }
  await visit.axe();
  await webhook.getByRole("link", { name: "Go to the webhooks" }).click();
  await page.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor();
});

test("people who may not create keys read what to do, also on a narrow screen", async () => {
  const { website, people, open } = journey();
  const editor = await people.person("editor", website.id, "starting@example.com");
  await using visit = await open(PAGE, { as: editor, width: 390, height: 844 });
  const { page } = visit;
  await page.getByText("Only owners can create keys").waitFor();
  assert.equal(await page.getByRole("button", { name: /key/ }).count(), 0);
  assert.equal(
    await page
      .getByRole("main")
      .getByRole("link", { name: /webhook/ })
      .count(),
    0,
  );
  assert.ok(Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth")) <= 0);
  await visit.axe();
});

function step(page: Page, name: string) {
  return page.getByRole("region", { name, exact: true });
}

/** The text of the example, as somebody would copy it. */
async function example(within: Locator, name: string): Promise<string> {
  await within.getByRole("tab", { name, exact: true }).click();
  return within.getByRole("region", { name: `the ${name} example` }).innerText();
}

async function run(
  command: string,
  args: string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const env = { PATH: process.env["PATH"], ...options.env };
  return (await promisify(execFile)(command, args, { timeout: 60_000, ...options, env })).stdout;
}

/** `npx rostrum` in the folder is this checkout's, as if it were installed there, on the service's data. */
async function withCommand({ app: { config } }: TestService, folder: Folder): Promise<Record<string, string>> {
  await mkdir(folder.at("node_modules/.bin"), { recursive: true });
  await symlink(join(import.meta.dirname, "../../bin/rostrum.js"), folder.at("node_modules/.bin/rostrum"));
  const { database, dataDir } = config;
  const url = database.kind === "sqlite" ? `sqlite:${database.path}` : database.url;
  return { HOME: folder.path, ROSTRUM_DATA_DIR: dataDir, DATABASE_URL: url };
}

async function sendTest(owner: Person, id: string, name: string): Promise<void> {
  const { delivery } = await owner.json("POST", `/webhooks/${id}/test`, {});
  assert.equal(record(delivery)["state"], "delivered", `${name}: ${JSON.stringify(delivery)}`);
}

/** Until it answers. */
async function startReceiver(command: string, file: string, port: number, secret: string) {
  const env = { PATH: process.env["PATH"], PORT: String(port), WEBHOOK_SECRET: secret };
  const child: ChildProcessWithoutNullStreams = leash(spawn(command, [file], { env, timeout: SERVES_MS }));
  let printed = "";
  let complained = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => (printed += part));
  child.stderr.setEncoding("utf8").on("data", (part: string) => (complained += part));
  const listening = until(`${file} listens`, () => isListening(port), 60_000);
  await listening.catch((error: unknown) => assert.fail(`${String(error)}: ${complained}`));
  return {
    printed: () => printed,
    [Symbol.asyncDispose]: async () => {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
    },
  };
}

async function isListening(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "{}" }).then(
    () => true,
    () => false,
  );
}

function runs(command: string): boolean {
  return spawnSync(command, ["--version"], { stdio: "ignore" }).status === 0;
}

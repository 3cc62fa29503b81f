/** What each command prints, and its exit code. */
import assert from "node:assert/strict";
import { PROSE } from "../helpers/articles.ts";
import { writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import type { ArticleInput } from "../../src/domain/articles/article.ts";
import { cliJson, runCli } from "../helpers/cli-in-process.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { makeSite, type Site } from "../helpers/site.ts";
import * as shapes from "../helpers/shapes.ts";
import { records } from "../helpers/http.ts";

let folder: Folder;
let data: string;
let website: string;
let site: Site;

before(async () => {
  folder = await tempFolder();
  data = folder.path;
  site = await makeSite(data);
  ({ website } = site);
});
after(() => folder[Symbol.asyncDispose]());

function create(fields: ArticleInput): Promise<string> {
  return site.create({ title: "T", content: "<p>x</p>", ...fields });
}

async function code(args: string[], env: Record<string, string> = {}): Promise<[number | null, string, string]> {
  const { code: found, stdout, stderr } = await runCli(args, { data, env });
  return [found, stdout, stderr];
}

describe("--help", () => {
  const COMMANDS: string[][] = [
    [],
    ["serve"],
    ["demo"],
    ["website"],
    ["website", "create"],
    ["website", "list"],
    ["key"],
    ["key", "create"],
    ["key", "list"],
    ["key", "revoke"],
    ["sender"],
    ...["create", "list", "kinds", "rotate", "delete", "arrivals", "arrival", "map", "run-again"].map((sub) => [
      "sender",
      sub,
    ]),
    ["import"],
    ["export"],
    ["article"],
    ...[
      "list",
      "show",
      "create",
      "update",
      "approve",
      "request-changes",
      "publish",
      "unpublish",
      "delete",
      "restore",
    ].map((sub) => ["article", sub]),
    ["backup"],
    ["restore"],
    ["migrate"],
    ["doctor"],
    ["version"],
  ];
  test("every command prints its usage on standard output, with exit code 0", async () => {
    const results = await Promise.all(COMMANDS.map((command) => code([...command, "--help"])));
    for (const [index, [found, stdout, stderr]] of results.entries()) {
      const name = (COMMANDS[index] ?? []).join(" ");
      assert.deepEqual([found, stderr], [0, ""], name);
      assert.match(stdout, new RegExp(`Usage: rostrum ${name}`), name);
      assert.doesNotMatch(stdout, /\b(?!ROSTRUM_|DATABASE_|SMTP_)[A-Z]+_[A-Z_]+\b/, `${name} names a constant`);
    }
  });
});

describe("exit code 2: wrong usage, reported on standard error", () => {
  for (const args of [
    ["nonsense"],
    ["website"],
    ["website", "nonsense"],
    ["website", "create"],
    ["website", "create", "--name", "X", "--nonsense"],
    ["key", "create", "--name", "x"],
    ["key", "create", "--website", "w", "--name", "x", "--scope", "none"],
    ["key", "create", "--website", "w", "--name", "x", "--expires", "soon"],
    ["key", "create", "--website", "w", "--name", "x", "--rate-limit", "-1"],
    ["key", "revoke"],
    ["import"],
    ["import", "x"],
    ["import", "x", "--website", "w", "--format", "docx"],
    ["export"],
    ["article", "list", "--website", "w", "--status", "draft"],
    ["article", "show"],
    ["article", "show", "a", "b"],
    ["article", "publish", "a", "--at", "tomorrow"],
    ["article", "request-changes", "a"],
    ["backup"],
    ["restore"],
    ["version", "extra"],
    ["constructor"],
    ["article", "toString"],
  ]) {
    test(`rostrum ${args.join(" ")} is wrong usage`, async () => {
      const [found, stdout, stderr] = await code(args);
      assert.deepEqual([found, stdout], [2, ""]);
      assert.match(stderr, /^.{10,}\n/);
      assert.doesNotMatch(stderr, /\n {4}at /, "no stack");
    });
  }
});

describe("exit code 1: refused, with a sentence", () => {
  const UNKNOWN = "00000000-0000-4000-8000-000000000000";
  for (const args of [
    ["website", "create", "--name", " "],
    ["website", "create", "--name", "X", "--url", "nonsense"],
    ["website", "create", "--name", "X", "--url-pattern", "https://example.com/"],
    ["key", "create", "--website", UNKNOWN, "--name", "x"],
    ["key", "list", "--website", UNKNOWN],
    ["key", "revoke", UNKNOWN],
    ["article", "list", "--website", UNKNOWN],
    ["article", "show", UNKNOWN],
    ["article", "approve", UNKNOWN],
    ["export", "--website", UNKNOWN],
    ["import", "/nowhere/at/all", "--website", UNKNOWN],
    ["restore", "/nowhere/at/all"],
    ["backup", "/nowhere/at/all"],
    ["article", "update", UNKNOWN, "--file", "/nowhere/at/all"],
  ]) {
    test(`rostrum ${args.join(" ")} is refused`, async () => {
      const [found, stdout, stderr] = await code(args);
      assert.deepEqual([found, stdout], [1, ""]);
      assert.match(stderr, /^.{10,}[.]\s$/s);
      assert.doesNotMatch(stderr, /\n {4}at /, "no stack");
    });
  }

  test("a file that is no JSON is refused, and so is one that is no article", async () => {
    for (const [text, said] of [
      ["{", /is not valid JSON/],
      ["[]", /must be a JSON object/],
      ['{"title":"x"}', /no content/],
      ['{"title":"x","content":"y","status":"draft"}', /status must be one of/],
    ] as const) {
      const args = ["article", "create", "--website", website, "--file", "-"];
      const { code: found, stderr } = await runCli(args, { data, stdin: text });
      assert.equal(found, 1, text);
      assert.match(stderr, said);
    }
  });
});

test("create and update accept a loss of text only with --accept-loss", async () => {
  const content = `<p>A</p><iframe src="https://www.youtube.com/embed/x"><p>${"Text that a frame hides. ".repeat(20)}</p></iframe>`;
  const stdin = JSON.stringify({ title: "Lossy", content });
  const id = await create({ title: "Whole" });
  for (const args of [
    ["article", "create", "--website", website, "--file", "-"],
    ["article", "update", id, "--file", "-"],
  ]) {
    const refused = await runCli(args, { data, stdin });
    assert.equal(refused.code, 1, args.join(" "));
    assert.match(refused.stderr + refused.stdout, /\d+ % of the text would be lost .*--accept-loss/);
    const taken = await runCli([...args, "--accept-loss"], { data, stdin });
    assert.equal(taken.code, 0, taken.stderr);
  }
});

test("an import says by kind what its articles lack, and exits with 1 for it only with --fail-on-loss", async () => {
  const stdin = [1, 2, 3, 4].map((number) =>
    JSON.stringify({
      title: `Lacking ${number}`,
      content: `<p>One {{< tweet ${number} >}}</p><p>${PROSE}</p><script>x()</script>`,
    }),
  );
  const args = ["import", "-", "--format", "ndjson", "--website", website, "--dry-run"];
  const { code: done, stdout } = await runCli(args, { data, stdin: stdin.join("\n") });
  assert.equal(done, 0);
  const more = "  … and 1 more; --json lists them.\n";
  const markup = `Source markup left as text (4):\n${places((number) => `{{< tweet ${number} >}}`)}${more}`;
  assert.ok(stdout.endsWith(`${markup}Elements removed (4):\n${places(() => "<script>")}${more}`), stdout);
  const failing = await runCli([...args, "--fail-on-loss", "--json"], { data, stdin: stdin.join("\n") });
  assert.equal(failing.code, 1);
  const { created, warning_counts, warnings } = JSON.parse(failing.stdout) as Record<string, unknown>;
  assert.deepEqual([created, warning_counts], [4, { source_markup: 4, element_removed: 4 }]);
  assert.ok(Array.isArray(warnings));
  assert.deepEqual(warnings[0], { source: "standard input, line 1", kind: "source_markup", detail: "{{< tweet 1 >}}" });
});

describe("exit code 78: wrong settings, all of them at once", () => {
  test("every problem has a line of its own", async () => {
    const env = { PORT: "x", ROSTRUM_LOG_LEVEL: "loud", ROSTRUM_RATE_LIMIT: "-1", DATABASE_URL: "mysql://x" };
    for (const args of [["serve"], ["website", "list"], ["backup", "x"], ["migrate"]]) {
      const [found, stdout, stderr] = await code(args, env);
      assert.deepEqual([found, stdout], [78, ""], args.join(" "));
      const lines = stderr.trim().split("\n");
      assert.deepEqual(
        lines.map((line) => line.split(" ")[0]).toSorted((a = "", b = "") => (a < b ? -1 : 1)),
        ["DATABASE_URL", "PORT", "ROSTRUM_LOG_LEVEL", "ROSTRUM_RATE_LIMIT"],
      );
    }
  });
});

describe("--json: data on standard output and nothing else", () => {
  test("version prints JSON", async () => {
    shapes.shape({ version: shapes.string, node: shapes.string })(await cliJson(["version"]), "version");
  });

  test("website create and list print JSON", async () => {
    const args = ["website", "create", "--name", "Ü", "--url", "https://example.com/", "--language", "pt_br"];
    const made = await cliJson([...args, "--url-pattern", "https://example.com/{slug}"], { data });
    const { id, created_at, ...rest } = made;
    shapes.uuid(id, "id");
    shapes.timestamp(created_at, "created_at");
    const addresses = { url: "https://example.com", url_pattern: "https://example.com/{slug}", preview_url: null };
    assert.deepEqual(rest, {
      name: "Ü",
      ...addresses,
      asset_url: null,
      language: "pt-BR",
      time_zone: "UTC",
      requires_second_factor: false,
      requires_second_person: false,
      publish_delay_seconds: 10,
      integrity_gate: "machine",
      series_labels: [],
      responsible_name: null,
      responsible_url: null,
      names_reviewers: false,
      slugs_per_language: false,
      serves_feeds: false,
      index_now_key: null,
    });
    const listed = records((await runCli(["website", "list", "--json"], { data })).json());
    assert.ok(listed.some((one) => one["id"] === id));
    const perLanguage = ["website", "slugs", String(id), "per-language"];
    const refused = await runCli(perLanguage, { data });
    assert.match(refused.stderr, /a URL pattern with the language in it/);
    const urlPattern = "https://example.com{/lang}/{slug}";
    const other = await cliJson([...perLanguage, "--url-pattern", urlPattern], { data });
    assert.deepEqual(other, { ...made, slugs_per_language: true, url_pattern: urlPattern });
    const within = await runCli(["website", "slugs", String(id), "per-website"], { data });
    assert.match(within.stdout, /unique within the website/);
    made["url_pattern"] = urlPattern;
    const changed = await cliJson(["website", "language", String(id), "none"], { data });
    assert.deepEqual(changed, { ...made, language: null });
  });

  test("website preview-address sets, prints and removes the address, and refuses one without a token", async () => {
    const made = await cliJson(["website", "create", "--name", "With previews"], { data });
    const address = "https://example.com/preview?slug={slug}&token={token}";
    const set = ["website", "preview-address", "With previews"];
    assert.deepEqual(await cliJson([...set, address], { data }), { ...made, preview_url: address });
    const refused = await runCli([...set, "https://example.com/preview"], { data });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /is not a preview address/);
    assert.equal((await runCli([...set, "none"], { data })).stdout, '"With previews" has no previews.\n');
  });

  test("website series sets, prints and removes the labels", async () => {
    const made = await cliJson(["website", "create", "--name", "With series"], { data });
    const set = ["website", "series", "With series"];
    const labels = ["Release notes", "News"];
    assert.deepEqual(await cliJson([...set, " Release notes,News,"], { data }), { ...made, series_labels: labels });
    const said = await runCli([...set, "News"], { data });
    assert.equal(said.stdout, 'The series of "With series" are: News.\n');
    assert.equal((await runCli([...set, "none"], { data })).stdout, '"With series" has no series.\n');
  });

  test("key create shows the key, key list never does, and key revoke says when", async () => {
    const args = ["key", "create", "--website", website, "--name", "k", "--scope", "published", "--expires", "90d"];
    const made = await cliJson([...args, "--rate-limit", "7"], { data });
    assert.match(String(made["key"]), /^rs_[0-9A-Za-z]{36}$/);
    assert.deepEqual([made["scope"], made["rate_limit"], made["revoked_at"]], ["published", 7, null]);
    const days = (Date.parse(String(made["expires_at"])) - Date.parse(String(made["created_at"]))) / 86_400_000;
    assert.ok(Math.abs(days - 90) < 0.001, `${days} days`);
    const listed = await runCli(["key", "list", "--website", website, "--json"], { data });
    assert.ok(records(listed.json()).some((one) => one["id"] === made["id"]));
    assert.ok(!listed.stdout.includes(String(made["key"])));
    shapes.timestamp((await cliJson(["key", "revoke", String(made["id"])], { data }))["revoked_at"], "revoked_at");
  });

  test("key create says beside the key what it reads", async () => {
    const args = ["key", "create", "--website", website, "--name", "k"];
    const all = await runCli(args, { data });
    assert.match(all.stderr, /of scope all: it reads articles of every status\. A website needs --scope published\./);
    const published = await runCli([...args, "--scope", "published"], { data });
    assert.match(published.stderr, /of scope published: it reads published articles only\./);
    assert.match(published.stdout, /^rs_\w{36}\n$/);
  });

  test("token create shows the token and says what it may do, token list never shows it, and token revoke says when", async () => {
    const args = ["token", "create", "--website", website, "--name", "t"];
    const made = await cliJson(args, { data });
    assert.match(String(made["token"]), /^rm_[0-9A-Za-z]{36}$/);
    assert.deepEqual([made["scope"], made["revoked_at"], made["last_used_at"]], ["draft", null, null]);
    const days = (Date.parse(String(made["expires_at"])) - Date.parse(String(made["created_at"]))) / 86_400_000;
    assert.equal(days, 365);
    const soon = await runCli([...args, "--scope", "publish", "--expires", "90d"], { data });
    assert.match(
      soon.stderr,
      /of scope publish: it writes, approves, publishes and deletes articles, until \d{4}-\d\d-\d\d\./,
    );
    assert.match(soon.stdout, /^rm_\w{36}\n$/);
    const listed = await runCli(["token", "list", "--website", website, "--json"], { data });
    assert.ok(records(listed.json()).some((one) => one["id"] === made["id"]));
    assert.ok(!listed.stdout.includes(String(made["token"])));
    shapes.timestamp((await cliJson(["token", "revoke", String(made["id"])], { data }))["revoked_at"], "revoked_at");
  });

  test("the article commands print the article, through all its states", async () => {
    const id = await create({ title: "Walk" });
    const state = async (...args: string[]) => {
      const [sub = "", ...rest] = args;
      return (await cliJson(["article", sub, id, ...rest], { data }))["status"];
    };
    assert.equal(await state("show"), "pending");
    assert.equal(await state("approve"), "approved");
    assert.equal(await state("request-changes", "--reason", "More."), "pending");
    assert.equal((await code(["article", "approve", id]))[0], 1);
    assert.equal((await cliJson(["article", "submit", id], { data }))["review_state"], "resubmitted");
    assert.equal((await cliJson(["article", "withdraw", id], { data }))["review_state"], "draft");
    assert.equal((await cliJson(["article", "submit", id], { data }))["review_state"], "in_review");
    assert.equal(await state("approve-and-schedule", "--at", "2999-01-01T00:00:00Z"), "approved");
    assert.equal(await state("unschedule"), "approved");
    assert.equal(await state("publish", "--at", "2999-01-01T00:00:00Z"), "approved");
    assert.equal(await state("publish"), "published");
    assert.equal(await state("unpublish"), "approved");
    assert.equal(await state("delete"), "approved");
    assert.equal((await code(["article", "publish", id]))[0], 1);
    assert.equal(await state("restore"), "approved");
  });

  test("article update changes only what the file names", async () => {
    const id = await create({ tags: ["a"], metaDescription: "M" });
    await writeFile(folder.at("edit.json"), '{"tags":["b"]}');
    const updated = await cliJson(["article", "update", id, "--file", folder.at("edit.json")], { data });
    assert.deepEqual([updated["tags"], updated["meta_description"]], [["b"], "M"]);
  });

  test("fields of an article are given without a file, and found again", async () => {
    const byline = ["--author", "Ada Lovelace <https://ada.example>", "--author", "Bo"];
    await writeFile(folder.at("new.json"), '{"title":"Alt","markdown":"Text.","language":"fi","tags":["a"]}');
    const file = ["--website", website, "--file", folder.at("new.json")];
    const made = await cliJson(["article", "create", ...file, "--language", "de_at", ...byline], { data });
    const authors = [
      { name: "Ada Lovelace", url: "https://ada.example" },
      { name: "Bo", url: null },
    ];
    assert.deepEqual([made["language"], made["authors"], made["tags"]], ["de-AT", authors, ["a"]]);
    const id = String(made["id"]);
    const key = ["--translation-key", "old", "--meta-title", "Old", "--canonical-url", "https://other.example/old"];
    const updated = await cliJson(["article", "update", id, ...key], { data });
    assert.deepEqual(
      [updated["translation_group"], updated["meta_title"], updated["canonical_url"], updated["authors"]],
      ["old", "Old", "https://other.example/old", authors],
    );
    const find = async (...filter: string[]) =>
      records((await runCli(["article", "list", "--website", website, "--json", ...filter], { data })).json())
        .filter((one) => one["id"] === id)
        .map(({ language }) => language);
    assert.deepEqual(await find("--lang", "DE-at", "--author", "ada lovelace"), ["de-AT"]);
    assert.deepEqual([await find("--lang", "de"), await find("--author", "ada")], [[], []]);
    const cleared = await cliJson(["article", "update", id, "--language", "", "--author", "", "--canonical-url", ""], {
      data,
    });
    assert.deepEqual([cleared["language"], cleared["authors"], cleared["canonical_url"]], [null, [], null]);
    assert.equal((await code(["article", "update", id]))[0], 2);
    assert.equal((await code(["article", "update", id, "--language", "not one"]))[0], 1);
  });

  test("article list, migrate and doctor print JSON", async () => {
    const id = await create({ status: "published" });
    const args = ["article", "list", "--website", website, "--status", "published", "--json"];
    assert.ok(records((await runCli(args, { data })).json()).some((one) => one["id"] === id));
    assert.deepEqual(await cliJson(["migrate"], { data }), { applied: [] });
    const { ok, findings } = await cliJson(["doctor"], { data });
    assert.equal(ok, true, JSON.stringify(findings));
  });
});

test("article bulk does one thing with everything that matches, and says what was refused and why", async () => {
  const [one, other] = [await create({ tags: ["Bulk"] }), await create({ tags: ["Bulk"] })];
  await code(["article", "label", other, "--add-tag", "Second", "--remove-tag", "bulk", "--add-category", "C"]);
  const { tags, categories } = await cliJson(["article", "show", other], { data });
  assert.deepEqual([tags, categories], [["Second"], ["C"]]);
  const all = ["--website", website, "--view", "all"];
  assert.deepEqual(await code(["article", "bulk", "label", ...all, "--tag", "second", "--add-tag", "Bulk"]), [
    0,
    "1 done, 0 refused\n",
    "",
  ]);
  await code(["article", "approve", one]);
  const [exit, out] = await code(["article", "bulk", "approve", ...all, "--tag", "bulk"]);
  assert.equal(exit, 1);
  assert.match(out, new RegExp(`^${one}  Only an article that is in review .*\n1 done, 1 refused\n$`));
  assert.equal((await code(["article", "bulk", "schedule", ...all]))[0], 2);
});

test("--website takes a name as well, unless two websites have it", async () => {
  const { id } = await cliJson(["website", "create", "--name", "Twice"], { data });
  const made = await cliJson(["key", "create", "--website", "Twice", "--name", "k"], { data });
  assert.equal(made["website_id"], id);
  await cliJson(["website", "create", "--name", "Twice"], { data });
  const [found, , said] = await code(["key", "list", "--website", "Twice"]);
  assert.equal(found, 1);
  assert.match(said, /^Several websites have the name "Twice"\. Give the id of the one you mean:\n/);
  assert.ok(said.includes(String(id)));
});

test("wrong usage is one sentence and the command whose help to read", async () => {
  const wrong: [string[], string][] = [
    [["article", "create", "--title", "x"], `Unknown option '--title'. See "rostrum article create --help".`],
    [["article", "bulk", "approve"], `--website is missing. See "rostrum article bulk --help".`],
    [["article", "rename"], `There is no "article rename". See "rostrum article --help".`],
    [["doctor", "now"], `Unexpected argument "now". See "rostrum doctor --help".`],
    [["rename"], `There is no command "rename". See "rostrum --help".`],
  ];
  for (const [args, expected] of wrong) {
    const [found, , stderr] = await code(args);
    assert.deepEqual([found, stderr], [2, `${expected}\n`]);
  }
});

test("a command without arguments shows the overview and is wrong usage", async () => {
  const [found, stdout] = await code([]);
  assert.equal(found, 2);
  assert.match(stdout, /Usage: rostrum <command>/);
});

function places(detail: (number: number) => string): string {
  return [1, 2, 3].map((number) => `  standard input, line ${number}: ${detail(number)}\n`).join("");
}

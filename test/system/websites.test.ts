import assert from "node:assert/strict";
import { test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createArticle, publishArticle, updateArticle } from "../../src/operations/articles/write/articles.ts";
import { updateWebsite } from "../../src/operations/website/websites.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { assertRefusal, type Json, record, records } from "../helpers/http.ts";
import { startTestService } from "../helpers/service.ts";
import { people } from "../people/dashboard.ts";

const BLOG = "https://tea.example.com/blog/{slug}";

test("a website is created, read and changed, and the audit log has its earlier values", async () => {
  await using service = await startTestService();
  using all = people(service);
  const owner = await all.owner();
  const made = await owner.json("POST", "/websites", { name: " Tea ", url: "https://Tea.example.com/" }, 201);
  const { id, created_at, ...rest } = made;
  const settings = {
    url_pattern: null,
    preview_url: null,
    asset_url: null,
    language: null,
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
  };
  assert.deepEqual(rest, { name: "Tea", url: "https://tea.example.com", ...settings });
  assert.match(String(created_at), /^\d{4}-.*Z$/);
  assert.deepEqual(await owner.json("GET", `/websites/${String(id)}`), made);
  const changed = await owner.json("PATCH", `/websites/${String(id)}`, { name: "Teas", url_pattern: BLOG });
  assert.deepEqual(changed, { ...made, name: "Teas", url_pattern: BLOG });
  assert.deepEqual(await owner.json("PATCH", `/websites/${String(id)}`, { name: "Teas" }), changed, "nothing changes");
  assert.deepEqual(await owner.json("PATCH", `/websites/${String(id)}`, { url: null }), { ...changed, url: null });
  const german = await owner.json("PATCH", `/websites/${String(id)}`, { language: "de_ch" });
  assert.equal(german["language"], "de-CH");
  const refused = await owner.send("PATCH", `/websites/${String(id)}`, { language: "not one" });
  assert.match(refused.text, /is not a language tag/);
  const names = records((await owner.json("GET", "/session"))["websites"]).map(({ name }) => name);
  assert.ok(names.includes("Teas"));

  const { entries } = await owner.json("GET", `/audit?website_id=${String(id)}`);
  assert.deepEqual(
    records(entries).map(({ action, detail, address }) => [action, detail, address]),
    [
      ["website.changed", { language: "de-CH", earlier_language: null }, "127.0.0.1"],
      ["website.changed", { url: null, earlier_url: "https://tea.example.com" }, "127.0.0.1"],
      [
        "website.changed",
        { name: "Teas", earlier_name: "Tea", url_pattern: BLOG, earlier_url_pattern: null },
        "127.0.0.1",
      ],
      ["website.created", { name: "Tea", url: "https://tea.example.com", url_pattern: null }, "127.0.0.1"],
    ],
  );
});

test("a website has a time zone, which its members are told", async () => {
  await using service = await startTestService();
  using all = people(service);
  const owner = await all.owner();
  const made = await owner.json("POST", "/websites", { name: "Tea", time_zone: "asia/tokyo" }, 201);
  assert.equal(made["time_zone"], "Asia/Tokyo");
  const path = `/websites/${String(made["id"])}`;
  assert.equal((await owner.json("PATCH", path, { time_zone: "Europe/Berlin" }))["time_zone"], "Europe/Berlin");
  const refused = await owner.send("PATCH", path, { time_zone: "Mars/Olympus" });
  assert.deepEqual([refused.status, refused.text.includes("is not a time zone")], [400, true]);
  const { websites } = await owner.json("GET", "/session");
  const zones = records(websites).map(({ name, time_zone }) => [name, time_zone]);
  assert.deepEqual(zones, [
    [service.website.name, "UTC"],
    ["Tea", "Europe/Berlin"],
  ]);
});

test("a setting that somebody else has changed meanwhile is not overwritten unseen", async () => {
  await using service = await startTestService();
  using all = people(service);
  const owner = await all.owner();
  const path = `/websites/${service.website.id}`;
  const before = await owner.json("PATCH", path, {
    name: "Tea",
    url: "https://tea.example.com",
    series_labels: ["Notes"],
  });
  await owner.json("PATCH", path, {
    name: "Teas",
    url: null,
    series_labels: ["Notes", "Weekly"],
    integrity_gate: "all",
  });
  const { name, url, series_labels, integrity_gate, publish_delay_seconds } = before;
  for (const [change, expected, field, now] of [
    [{ name: "Coffee" }, { name }, "name", "changed this to “Teas”"],
    [{ url: "https://coffee.example.com" }, { url }, "url", "emptied this"],
    [{ series_labels: ["Notes", "Daily"] }, { series_labels }, "series_labels", "changed this to “Notes, Weekly”"],
    [{ integrity_gate: "off" }, { integrity_gate }, "integrity_gate", "changed this to “all”"],
  ] as const) {
    const refused = await owner.send("PATCH", path, { ...change, publish_delay_seconds: 5, expected });
    assert.equal(refused.status, 409, refused.text);
    const { message, param } = record(refused.json());
    assert.deepEqual([param, String(message).includes(now)], [field, true], String(message));
  }
  assert.equal((await owner.json("GET", path))["publish_delay_seconds"], publish_delay_seconds, "all or nothing");
  const agreed = await owner.json("PATCH", path, { name: "Teas", language: "de", expected: { name, language: null } });
  assert.deepEqual(
    [agreed["name"], agreed["language"]],
    ["Teas", "de"],
    "both want the same; nobody else set a language",
  );
  assert.equal(
    (await owner.json("PATCH", path, { name: "Coffee" }))["name"],
    "Coffee",
    "without it, anything is replaced",
  );
});

test("names of websites, keys and people are one line, without control characters", async () => {
  await using service = await startTestService();
  using all = people(service);
  const owner = await all.owner();
  const name = "Tea\r\nX-Header: \u001B[1m\u2028 1";
  const website = await owner.json("POST", "/websites", { name }, 201);
  assert.equal(website["name"], "Tea X-Header: [1m 1");
  const { key } = await owner.json("POST", "/api-keys", { website_id: website["id"], name, scope: "all" }, 201);
  assert.equal(record(key)["name"], "Tea X-Header: [1m 1");
});

test("an owner of every website deletes one by typing its name; an owner of that one may not", async () => {
  await using service = await startTestService({ ROSTRUM_TRASH_KEEP_DAYS: "30" });
  using all = people(service);
  const owner = await all.owner();
  assert.equal((await owner.json("GET", "/session"))["trash_days"], 30);
  const { id } = service.website;
  const path = `/websites/${id}`;
  const local = await all.person("owner", id, "local@example.com");
  await createArticle(service.app, id, makeArticle({ status: "published" }), CHIEF);
  const contents = { articles: 1, events: 1, keys: 1, webhooks: 0, members: 1 };
  assert.deepEqual(await owner.json("GET", `${path}/contents`), contents);
  for (const query of ["", `?website_id=${id}`]) {
    const { status } = await local.send("DELETE", `${path}${query}`, { name: "Test" });
    assert.ok(status === 403 || status === 400, `${query}: ${status}`);
  }
  const refused = await owner.send("DELETE", path, { name: "test" });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /The name of this website is \\"Test\\"/);
  assert.equal((await owner.send("DELETE", path, { name: "Test" })).status, 204);
  assert.equal((await owner.send("GET", path)).status, 404);
  assert.equal((await owner.send("DELETE", path, { name: "Test" })).status, 404);
  assert.equal((await owner.send("GET", `/articles?website_id=${id}&view=published`)).status, 404);
  assert.equal((await local.send("GET", "/session")).status, 401, "nothing else was theirs");
  assert.equal((await service.get("/api/public/articles")).status, 401);
  const { websites } = await owner.json("GET", "/session");
  assert.deepEqual(websites, []);
  const [entry] = records((await owner.json("GET", "/audit"))["entries"]);
  assert.deepEqual([entry?.["action"], record(entry?.["detail"])["name"]], ["website.deleted", "Test"]);
});

test("invalid names, addresses and patterns are refused, and nothing changes", async () => {
  await using service = await startTestService();
  using all = people(service);
  const owner = await all.owner();
  const path = `/websites/${service.website.id}`;
  const before = await owner.json("GET", path);
  const wrong: [Json, string][] = [
    [{ name: " " }, "name"],
    [{ name: "n".repeat(201) }, "name"],
    [{ url: "example.com" }, "url"],
    [{ url: "" }, "url"],
    [{ url: "javascript:alert(1)" }, "url"],
    [{ url: "https://:secret@example.com" }, "url"],
    [{ url: `https://example.com/${"a".repeat(3_000)}` }, "url"],
    [{ url_pattern: "https://example.com/blog/" }, "url_pattern"],
    [{ url_pattern: "/blog/{slug}" }, "url_pattern"],
    [{ url_pattern: 'https://example.com/"><script>/{slug}' }, "url_pattern"],
    [{ url_pattern: "https://example.com/\n{slug}" }, "url_pattern"],
    [{ url_pattern: "https://example.com/\0{slug}" }, "url_pattern"],
    [{ name: 7 }, "name"],
    [{ id: "x" }, "id"],
  ];
  for (const [change, param] of wrong) {
    const reply = await owner.send("PATCH", path, change);
    assert.deepEqual([reply.status, record(reply.json())["param"]], [400, param], JSON.stringify(change));
    if (change["id"] === undefined) {
      const made = await owner.send("POST", "/websites", { name: "W", ...change });
      assert.deepEqual([made.status, record(made.json())["param"]], [400, param], JSON.stringify(change));
    }
  }
  assert.equal((await owner.send("PATCH", path, {})).status, 400);
  assert.equal((await owner.send("POST", "/websites", { name: "a\0b" })).status, 400);
  assert.deepEqual(await owner.json("GET", path), before);
});

test("a website is visible to its members only, and created by owners of every website", async () => {
  await using service = await startTestService();
  using all = people(service);
  await all.owner();
  const { id } = service.website;
  const other = await service.newWebsite({ name: "Other" });
  const local = await all.person("owner", other.id, "local@example.com");
  const viewer = await all.person("viewer", id);
  const editor = await all.person("editor", id);
  assert.equal((await viewer.json("GET", `/websites/${id}`))["name"], "Test");
  const unseen = await local.send("GET", `/websites/${id}`);
  const message = "There is no website with this id; it may have been deleted.";
  assertRefusal(unseen, 404, { error: "Not Found", message });
  for (const path of [`/websites/${id}`, "/websites/01a1fdf4-0000-7000-8000-000000000000", "/websites/x%27--"]) {
    assertRefusal(await local.send("PATCH", path, { name: "Mine" }), 404, { error: "Not Found", message });
  }
  assert.equal((await editor.send("PATCH", `/websites/${id}`, { name: "Mine" })).status, 403);
  assert.equal((await local.send("POST", "/websites", { name: "Mine" })).status, 403);
  assert.equal((await local.json("PATCH", `/websites/${other.id}`, { name: "Mine" }))["name"], "Mine");
});

test("published articles keep their address when the pattern changes; later publications have the new one", async () => {
  await using service = await startTestService();
  const { app } = service;
  const { id } = service.website;
  const setPattern = (urlPattern: string | null) => updateWebsite(app, id, { urlPattern }, CLI_ORIGIN);
  const address = async (articleId: string) => (await service.detail(articleId))["platform_url"];
  const bare = await createArticle(app, id, makeArticle({ slug: "bare", status: "published" }), CHIEF);
  assert.equal(await address(bare.article.id), null);
  await setPattern(BLOG);
  const early = await createArticle(app, id, makeArticle({ slug: "early", status: "published" }), CHIEF);
  const waiting = await createArticle(app, id, makeArticle({ slug: "waiting", status: "approved" }), CHIEF);
  await setPattern("https://tea.example.com/articles/{slug}");
  await publishArticle(app, waiting.article.id, CHIEF);
  assert.equal(await address(early.article.id), "https://tea.example.com/blog/early");
  assert.equal(await address(waiting.article.id), "https://tea.example.com/articles/waiting");
  assert.equal(await address(bare.article.id), null);
  await updateArticle(app, bare.article.id, { title: "Changed" }, CHIEF);
  assert.equal(await address(bare.article.id), "https://tea.example.com/articles/bare");
  // Who wants the new one for an article takes the old one away.
  await updateArticle(app, early.article.id, { platformUrl: null }, CHIEF);
  assert.equal(await address(early.article.id), "https://tea.example.com/articles/early");
});

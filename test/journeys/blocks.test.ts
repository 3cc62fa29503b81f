/** Links, tables, code and embeds in the visual view, and what of them is stored. */
import assert from "node:assert/strict";
import { record } from "../helpers/http.ts";
import { until } from "../helpers/until.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";
import { caretAfter, openEditor, saveAll } from "./visual-view.ts";

const journey = shared(async () => {
  const started = await startJourney();
  await started.people.owner();
  return started;
});

const LINKS =
  "See [the *old* page](https://example.org/old) and [a note][n], or <https://example.org/a_b>.\n\n[n]: /notes/1\n";

test("the link at the caret shows its address, and is changed and removed; the rest stays as it was", async () => {
  const { visit, page, content, saved } = await openEditor(journey(), { markdown: LINKS }, "links");
  await using _ = visit;
  const bar = page.getByRole("toolbar", { name: "Link" });
  const dialog = page.getByRole("dialog", { name: "Link" });
  await content.getByRole("link", { name: "the old page" }).click();
  await bar.getByText("https://example.org/old", { exact: true }).waitFor();
  const open = bar.getByRole("link", { name: "Open" });
  assert.equal(await open.getAttribute("href"), "https://example.org/old");
  assert.equal(await open.getAttribute("rel"), "noopener noreferrer");
  await visit.axe();
  await bar.getByRole("button", { name: "Change" }).click();
  assert.equal(await dialog.getByLabel("Address").inputValue(), "https://example.org/old");
  await dialog.getByLabel("Address").fill("https://example.org/new");
  await visit.axe();
  await dialog.getByRole("button", { name: "Change" }).click();
  await dialog.waitFor({ state: "detached" });
  await bar.getByText("https://example.org/new", { exact: true }).waitFor();

  // With keys alone.
  await caretAfter(page, content, "a no");
  await bar.getByText("/notes/1", { exact: true }).waitFor();
  await page.keyboard.press("Control+k");
  await dialog.getByRole("button", { name: "Remove link" }).click();
  await dialog.waitFor({ state: "detached" });
  await bar.waitFor({ state: "detached" });

  // An address that is its own text stays so.
  await caretAfter(page, content, "https://exam");
  await page.keyboard.press("Control+k");
  await dialog.getByLabel("Address").fill("https://example.org/b");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await saveAll(page);
  assert.equal(
    saved(),
    "See [the *old* page](https://example.org/new) and a note, or https://example.org/b.\n\n[n]: /notes/1\n",
  );
});

test("a link leads to a published article that is found by its title", async () => {
  const { service, website, people } = journey();
  const admin = await people.person("editor", website.id, "finds@example.com");
  const published = await admin.json("GET", `/articles?website_id=${website.id}&view=published`);
  const [first] = published["articles"] as { id: string; title: string }[];
  assert.ok(first !== undefined);
  const made = await admin.json(
    "POST",
    "/articles",
    { website_id: website.id, title: "Links", markdown: "Start." },
    201,
  );
  const id = String(record(made["article"])["id"]);
  const visit = await journey().open(`/dashboard/articles/${id}/edit?website=${website.id}`, { as: admin });
  await using _ = visit;
  const { page } = visit;
  const content = page.getByRole("textbox", { name: "Content" });
  await content.waitFor();
  await visit.settled();
  await caretAfter(page, content, "Start.");
  await page.keyboard.type(" Read ");
  await page.keyboard.press("Control+k");
  const dialog = page.getByRole("dialog", { name: "Link" });
  await dialog.getByLabel("Address").fill(first.title.slice(0, -2));
  await dialog.getByRole("option", { name: first.title }).waitFor();
  await visit.axe();
  await page.keyboard.press("Enter");
  await dialog.getByText(`Article: ${first.title}`).waitFor();
  await dialog.getByRole("button", { name: "Insert link" }).click();
  await dialog.waitFor({ state: "detached" });
  await saveAll(page);
  const url = String((await admin.json("GET", `/articles/${first.id}`))["public_url"]);
  const read = async () => String((await admin.json("GET", `/articles/${id}`))["markdown"]).trimEnd();
  await until("it is stored", async () => (await read()) !== "Start.");
  assert.equal(await read(), `Start. Read [${first.title}](${url})`);
  assert.deepEqual(service.log.failures, []);
});

const CODE = "Start.\n\n```js {1,3} title=a\nlet a = 1;\n```\n\n~~~\nplain\n~~~\n\nEnd.\n";

test("a code block has its language, which is chosen by typing, and is copied; what stands beside it stays", async () => {
  const context = { permissions: ["clipboard-read", "clipboard-write"] };
  const { visit, page, content, saved } = await openEditor(journey(), { markdown: CODE }, "codes", { context });
  await using _ = visit;
  const language = content.getByRole("combobox", { name: "Language of the code" });
  assert.equal(await language.first().inputValue(), "js");
  await content.getByRole("button", { name: "Copy" }).first().click();
  await content.getByRole("button", { name: "Copied" }).waitFor();
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), "let a = 1;");
  await visit.axe();
  // With keys alone, from the code.
  await caretAfter(page, content, "let a = 1;");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  await language.first().and(page.locator(":focus")).waitFor();
  await page.keyboard.type("ts");
  await page.keyboard.press("Enter");
  await content.and(page.locator(":focus")).waitFor();
  await page.keyboard.type(" // typed");
  await saveAll(page);
  assert.equal(saved(), CODE.replace("```js {1,3} title=a\nlet a = 1;", "```ts {1,3} title=a\nlet a = 1; // typed"));
});

test("in HTML the language is a class of the code, beside others", async () => {
  const html =
    '<p>Start.</p>\n<pre class="wide"><code class="hl language-js">let a = 1;</code></pre>\n<pre>plain</pre>';
  const { visit, page, content, saved } = await openEditor(journey(), { content: html }, "classes");
  await using _ = visit;
  const language = content.getByRole("combobox", { name: "Language of the code" });
  await language.first().fill("ts");
  await language.first().press("Enter");
  await language.nth(1).fill("python");
  await language.nth(1).press("Enter");
  await saveAll(page);
  assert.equal(
    saved(),
    html
      .replace("language-js", "language-ts")
      .replace("<pre>plain</pre>", '<pre><code class="language-python">plain</code></pre>'),
  );
});

const VIDEO =
  '<iframe src="https://www.youtube-nocookie.com/embed/abcdefghijk" title="Pouring" width="560" height="315"></iframe>';

test("a video is a card of its service, and is loaded when it is asked for", async () => {
  const markdown = `One.\n\n${VIDEO}\n\n<iframe src="https://evil.example/x"></iframe>\n\nTwo.`;
  const { visit, page, content, saved } = await openEditor(journey(), { markdown }, "embeds");
  await using _ = visit;
  const asked: string[] = [];
  await page.context().route(/youtube-nocookie/, (route) => {
    asked.push(route.request().url());
    return route.fulfill({ contentType: "text/html", body: "<title>Player</title>A player" });
  });
  await content.getByText("YouTube: Pouring").waitFor();
  assert.equal(await content.locator("iframe").count(), 0, "nothing is loaded by itself");
  await visit.axe();
  await content.getByRole("button", { name: "Show", exact: true }).click();
  await content.frameLocator("iframe").getByText("A player").waitFor();
  assert.deepEqual(asked, ["https://www.youtube-nocookie.com/embed/abcdefghijk"]);
  await visit.axe();
  await content.getByRole("button", { name: "Edit source" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Edit source" });
  await dialog.getByRole("textbox", { name: "Source" }).fill(VIDEO.replace("Pouring", "Steeping"));
  await dialog.getByRole("button", { name: "Apply" }).click();
  await dialog.waitFor({ state: "detached" });
  await content.getByText("YouTube: Steeping").waitFor();
  await saveAll(page);
  assert.equal(saved(), markdown.replace("Pouring", "Steeping"));
});

const TABLE = `Start.

| a   | b   |
|-----|:---:|
| one | *two* |
| 3   | 4   |

End.
`;

test("rows and columns have handles, with the mouse, and with keys in the toolbar's menu", async () => {
  const { visit, page, content, saved } = await openEditor(journey(), { markdown: TABLE }, "tables");
  await using _ = visit;
  const pick = async (handle: "Row" | "Column", label: string) => {
    await page.getByRole("button", { name: handle, exact: true }).click();
    await page.getByRole("menu").waitFor();
    await page.getByRole("menu").getByText(label, { exact: true }).click();
    await page.getByRole("menu").waitFor({ state: "detached" });
  };
  await content.getByText("one").hover();
  await page.getByRole("button", { name: "Row", exact: true }).click();
  await page.getByRole("menuitem", { name: "Add row below" }).waitFor();
  assert.equal(await page.getByRole("menuitem", { name: "Header row" }).count(), 0, "Markdown has always one");
  assert.equal(await content.locator(".selectedCell").count(), 2);
  await visit.axe();
  await page.getByRole("menuitem", { name: "Add row below" }).click();
  await content.getByText("one").hover();
  await pick("Column", "Align right");
  await content.getByText("4", { exact: true }).hover();
  await pick("Column", "Add column after");
  await content.getByText("3", { exact: true }).hover();
  await pick("Row", "Delete row");
  await saveAll(page);
  assert.equal(
    saved(),
    TABLE.replace(/\| a [\s\S]*4   \|/, "| a | b |  |\n| --: | :-: | --- |\n| one | *two* |  |\n|  |  |  |"),
  );
  // With keys: the header moves down.
  await caretAfter(page, content, "b");
  await page.keyboard.press("Alt+F10");
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  await page.getByRole("button", { name: "Table and more" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Add row above" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menu").waitFor({ state: "detached" });
  await saveAll(page);
  assert.match(saved(), /\n\|  \|  \|  \|\n\| --: \| :-: \| --- \|\n\| a \| b \|  \|\n/, "the alignment is kept");
});

test("in HTML, the header row is turned off and cells are aligned; other cells stay as they were", async () => {
  const html =
    '<table>\n<tbody><tr><th>a</th><th class="x">b</th></tr>\n<tr><td class="y">c</td><td align="right">d</td></tr>\n</tbody></table>';
  const { visit, page, content, saved } = await openEditor(journey(), { content: html }, "cells");
  await using _ = visit;
  await content.getByText("c", { exact: true }).hover();
  await page.getByRole("button", { name: "Column", exact: true }).click();
  await page.getByRole("menu").getByText("Align center", { exact: true }).click();
  await page.getByRole("menu").waitFor({ state: "detached" });
  await saveAll(page);
  const centred = html
    .replace("<th>a", '<th align="center">a')
    .replace('<td class="y">', '<td class="y" align="center">');
  assert.equal(saved(), centred);
  await content.getByText("b", { exact: true }).hover();
  await page.getByRole("button", { name: "Row", exact: true }).click();
  await page.getByRole("menuitem", { name: "Header row" }).click();
  await page.getByRole("menu").waitFor({ state: "detached" });
  await saveAll(page);
  assert.match(
    saved(),
    /^<table>\n<tbody><tr><td align="center">a<\/td><td>b<\/td><\/tr>\n<tr><td class="y" align="center">c<\/td>/,
  );
});

/**
 * What is typed and pasted in the visual editor, and what of it is stored. Keys and clipboard are the browser's own, and the page
 * has the policy that the service sends. `TYPING_TABLE=1 node --test test/journeys/typing.test.ts` prints the table.
 */
import assert from "node:assert/strict";
import type { Page, Request } from "playwright-core";
import { record } from "../helpers/http.ts";
import { websiteWith } from "./articles.ts";
import { startJourney, type Visit } from "./browser.ts";
import { copyIn, pasteIn } from "./clipboard.ts";
import { shared, test } from "./journeys.ts";
import { type Pasted, type Row, type Step, TABLES } from "./typing-tables.ts";

const journey = shared(async () => {
  const started = await startJourney();
  await started.people.owner();
  return started;
});

type Format = "markdown" | "html";

/** What browsers say when pasted HTML is read under the page's policy. */
const BLOCKED = /^(?:Applying inline style|Executing inline event handler) violates/;

/** An editor whose text is replaced for each row. */
class Typist implements AsyncDisposable {
  readonly page: Page;
  readonly #visit: Visit;
  readonly #clipboard: Page;
  readonly #format: Format;

  private constructor(visit: Visit, clipboard: Page, format: Format) {
    this.#visit = visit;
    this.page = visit.page;
    this.#clipboard = clipboard;
    this.#format = format;
  }

  static async open(format: Format): Promise<Typist> {
    const { people } = journey();
    const text = format === "markdown" ? { markdown: "Start." } : { content: "<p>Start.</p>" };
    const { website, ids } = await websiteWith(journey(), [{ title: "An article", ...text }]);
    const editor = await people.person("editor", website.id, `types-${website.id}@example.com`);
    const path = `/dashboard/articles/${ids[0]}/edit?website=${website.id}`;
    const visit = await journey().open(path, { as: editor, expected: BLOCKED });
    await visit.page.getByRole("textbox", { name: "Content" }).waitFor();
    await visit.settled();
    // A page without a policy, as another program.
    const clipboard = await visit.page.context().newPage();
    await visit.page.bringToFront();
    return new Typist(visit, clipboard, format);
  }

  /** @returns what is stored. */
  async write(steps: readonly Step[]): Promise<string> {
    const { page } = this;
    await page.getByRole("textbox", { name: "Content" }).focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Delete");
    for (const step of steps) {
      if (typeof step === "string") await page.keyboard.type(step);
      else if ("press" in step) await this.#press(step.press);
      else if ("see" in step) await page.getByText(step.see).first().waitFor();
      else await this.#paste(step);
    }
    return this.#save();
  }

  async #press(keys: string): Promise<void> {
    for (const key of keys.split(" ")) await this.page.keyboard.press(key);
    // The editor takes selections over from the browser in later events.
    await this.page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 30)))");
  }

  async #paste({ keys = "Control+v", ...copied }: Pasted): Promise<void> {
    await copyIn(this.#clipboard, copied);
    await pasteIn(this.page, () => this.#press(keys));
  }

  async #save(): Promise<string> {
    const [response] = await Promise.all([
      this.page.waitForResponse((one) => isSave(one.request())),
      this.page.keyboard.press("Control+s"),
    ]);
    assert.equal(response.status(), 200);
    const changes = record(record(JSON.parse(response.request().postData() ?? "{}"))["changes"]);
    return String(changes[this.#format === "html" ? "content" : "markdown"]);
  }

  axe(): Promise<void> {
    return this.#visit.axe();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#visit[Symbol.asyncDispose]();
  }
}

function isSave(request: Request): boolean {
  return request.method() === "PATCH" && /\/articles\/[^/]+(?:\?|$)/.test(request.url());
}

// oxlint-disable-next-line node/no-process-env -- the test has no other configuration
const PRINTS = process.env["TYPING_TABLE"] === "1";

for (const [name, { format = "markdown", rows }] of Object.entries(TABLES)) {
  test(name, async () => {
    await using typist = await Typist.open(format);
    const found: [string, string][] = [];
    const wrong: [string, string][] = [];
    for (const [what, row] of Object.entries(rows)) {
      const stored = (await typist.write(row.steps)).trim();
      found.push([what, stored]);
      if (PRINTS) console.log(`| ${what} | ${shown(stored)} | ${stored === row.stored ? "right" : "**wrong**"} |`);
      if (stored !== row.stored) wrong.push([what, stored]);
    }
    assert.deepEqual(Object.fromEntries(found), storedOf(rows));
    assert.deepEqual(wrong, []);
  });
}

function storedOf(rows: Readonly<Record<string, Row>>): Record<string, string> {
  return Object.fromEntries(Object.entries(rows).map(([what, { stored }]) => [what, stored]));
}

function shown(text: string): string {
  return `\`${text.replaceAll("\n", "⏎").replaceAll("|", "\\|")}\``;
}

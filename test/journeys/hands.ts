/** Someone at a page with a keyboard alone. Counts what is pressed, and fails if the focus is lost. */
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { until } from "../helpers/until.ts";
import type { Visit } from "./browser.ts";
import { type Copied, copyIn, pasteIn } from "./clipboard.ts";

interface Pasted extends Copied {
  /** A picture instead, in base64. */
  png?: string;
}

/** More presses of Tab than this are a dead end. */
const MAX_TABS = 40;
const IS_FOCUSED = "document.activeElement !== null && document.activeElement !== document.body";

export class Hands {
  readonly page: Page;
  readonly #visit: Visit;
  readonly #clipboard: Page;
  readonly parts: { part: string; keys: number; seconds: number }[] = [];
  #keys = 0;

  private constructor(visit: Visit, clipboard: Page) {
    this.#visit = visit;
    this.#clipboard = clipboard;
    this.page = visit.page;
  }

  static async at(visit: Visit): Promise<Hands> {
    const { page } = visit;
    await page.evaluate(`(() => {
      window.pointers = 0;
      for (const kind of ["pointerdown", "mousedown", "touchstart"]) addEventListener(kind, () => { window.pointers += 1; }, true);
    })()`);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    // A page without a policy, as another program.
    const clipboard = await page.context().newPage();
    await page.bringToFront();
    return new Hands(visit, clipboard);
  }

  /** Counts what is pressed for a part of the work. */
  async part(part: string, run: () => Promise<void>): Promise<void> {
    const [keys, begun] = [this.#keys, performance.now()];
    await run();
    const seconds = Math.round((performance.now() - begun) / 100) / 10;
    this.parts.push({ part, keys: this.#keys - keys, seconds });
  }

  async press(keys: string): Promise<void> {
    for (const key of keys.split(" ")) {
      this.#keys += 1;
      await this.page.keyboard.press(key);
      await this.#settle(key);
    }
  }

  async type(text: string): Promise<void> {
    this.#keys += text.length;
    await this.page.keyboard.type(text);
    await this.#settle("typing");
  }

  async paste({ png, ...copied }: Pasted): Promise<void> {
    if (png === undefined) await copyIn(this.#clipboard, copied);
    else await this.#copyPicture(png);
    await pasteIn(this.page, () => this.press("Control+v"));
  }

  /** Takes the focus there: with Tab. */
  async reach(target: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
    await target.waitFor();
    const focused = target.and(this.page.locator(":focus"));
    for (let tabs = 0; (await focused.count()) === 0; tabs += 1) {
      assert.ok(tabs < MAX_TABS, `${String(target)} cannot be reached by ${key}`);
      await this.press(key);
    }
  }

  /** Chooses a tab of a row whose chosen one is reached first. */
  async chooseTab(target: Locator): Promise<void> {
    await this.reach(this.page.getByRole("dialog").getByRole("tab", { selected: true }));
    const focused = target.and(this.page.locator(":focus"));
    for (let step = 0; (await focused.count()) === 0; step += 1) {
      assert.ok(step < 8, `${String(target)} cannot be reached by arrow keys`);
      await this.press("ArrowRight");
    }
  }

  /** Selects words before the caret. */
  selectWordsBefore(count: number): Promise<void> {
    return this.press(Array.from({ length: count }, () => "Control+Shift+ArrowLeft").join(" "));
  }

  /** Presses a button or a tab, or ticks a box. */
  async choose(target: Locator, key: "Enter" | "Space" = "Enter"): Promise<void> {
    await this.reach(target);
    await this.press(key);
  }

  /** How often something was pointed at. */
  pointers(): Promise<number> {
    return this.page.evaluate<number>("window.pointers");
  }

  axe(): Promise<void> {
    return this.#visit.axe();
  }

  /** The table of all parts. */
  static table(...hands: readonly Hands[]): string {
    const all = hands
      .flatMap(({ parts }) => parts)
      .map(({ part, keys, seconds }) => `| ${part} | ${keys} | ${seconds} |`);
    return ["| part | keys | seconds |", "|---|---|---|", ...all].join("\n");
  }

  async #settle(key: string): Promise<void> {
    // The editor takes selections over from the browser in later events.
    await this.page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 20)))");
    await until(`the focus is somewhere after ${key}`, () => this.page.evaluate<boolean>(IS_FOCUSED));
  }

  /** Only a secure page may copy pictures. */
  async #copyPicture(base64: string): Promise<void> {
    await this.page.evaluate(`(() => {
      const bytes = Uint8Array.from(atob(${JSON.stringify(base64)}), (one) => one.charCodeAt(0));
      return navigator.clipboard.write([new ClipboardItem({ "image/png": new Blob([bytes], { type: "image/png" }) })]);
    })()`);
  }
}

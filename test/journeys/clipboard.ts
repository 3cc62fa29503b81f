/** The real clipboard, filled as by another program: `navigator.clipboard.write` would sanitise the HTML. */
import type { Page } from "playwright-core";

export interface Copied {
  html?: string;
  /** Default: the text of the HTML. */
  text?: string;
}

/** @param from is a page without a policy, such as an empty one. */
export async function copyIn(from: Page, { html, text }: Copied): Promise<void> {
  await from.evaluate(`(() => {
    document.addEventListener("copy", (event) => {
      for (const [type, data] of ${JSON.stringify([
        ["text/html", html],
        ["text/plain", text ?? html?.replaceAll(/<[^>]*>/g, "")],
      ])}) if (data !== null && data !== undefined) event.clipboardData.setData(type, data);
      event.preventDefault();
    }, { once: true });
    if (!document.execCommand("copy")) throw new Error("the clipboard cannot be written");
  })()`);
}

/** Resolves when the page has got what `press` pastes. */
export async function pasteIn(page: Page, press: () => Promise<void>): Promise<void> {
  await page.bringToFront();
  await page.evaluate(`void (window.pasted = new Promise((done) => addEventListener("paste", done, { once: true })))`);
  await press();
  await page.evaluate("window.pasted.then(() => {})");
}

/** The source view of the editor. */
import type { Locator, Page } from "playwright-core";
import { until } from "../helpers/until.ts";

/** Shows the source. */
export async function openSource(page: Page): Promise<Locator> {
  await page.getByRole("radiogroup", { name: "View of the content" }).getByText("Source", { exact: true }).click();
  const field = sourceField(page);
  await field.waitFor();
  return field;
}

/** The source view, if it is shown. */
export function sourceField(page: Page): Locator {
  return page.getByRole("textbox", { name: "Content" }).and(page.locator(".cm-content"));
}

/** The source view's text; the page contains only the lines near the visible part. */
export async function readSource(page: Page): Promise<string> {
  return (await page.locator(".cm-line").allTextContents()).join("\n");
}

export async function fillSource(page: Page, text: string): Promise<void> {
  await sourceField(page).focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  if (text !== "") await page.keyboard.insertText(text);
  await until("the source is there", async () => (await readSource(page)).startsWith(text.slice(0, 200)));
}

/** Moves the caret to the end of the focused text. The editor hears of it before the next frame. */
export async function goToEnd(page: Page): Promise<void> {
  await page.keyboard.press("Control+End");
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
}

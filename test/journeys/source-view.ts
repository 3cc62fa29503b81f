/** The source view of the editor. */
import type { Locator, Page } from "playwright-core";
import { until } from "../helpers/until.ts";

/** Chooses from the menu at the toolbar's end. */
export async function chooseView(page: Page, view: "Visual" | "Source"): Promise<void> {
  await choose(page, "View of the content", view);
}

export async function chooseFormat(page: Page, format: "Markdown" | "HTML"): Promise<void> {
  await choose(page, "Format of the content", format);
}

async function choose(page: Page, group: string, label: string): Promise<void> {
  const target = page.getByRole("button", { name: "View and format" });
  await target.click();
  const options = page.getByRole("radiogroup", { name: group });
  if (await options.getByRole("radio", { name: label }).isChecked()) await target.click();
  else await options.getByText(label, { exact: true }).click();
  await options.waitFor({ state: "detached" });
}

/** Shows the source. */
export async function openSource(page: Page): Promise<Locator> {
  await chooseView(page, "Source");
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

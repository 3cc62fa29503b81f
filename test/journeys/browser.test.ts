/** Every other journey relies on this: a page that logs an error fails its test. */
import assert from "node:assert/strict";
import { until } from "../helpers/until.ts";
import { startJourney } from "./browser.ts";
import { explained, shared, test } from "./journeys.ts";

const journey = shared(startJourney);

const COMPLAINTS: Record<string, [script: string, complaint: RegExp]> = {
  "an error on the console": ["console.error('something is wrong')", /something is wrong/],
  "an error that nobody caught": ["setTimeout(() => { throw new Error('lost'); })", /lost/],
  "a request to another host": ["fetch('https://elsewhere.example/').catch(() => {})", /elsewhere\.example/],
  "a picture of another host that is no article's": [
    "new Image().src = 'https://elsewhere.example/pixel.gif'",
    /another host: https:\/\/elsewhere\.example/,
  ],
  "a script in the page": [
    "document.body.append(Object.assign(document.createElement('script'), { textContent: 'alert(1)' }))",
    /script-src/,
  ],
  "a style without the nonce": [
    "document.head.append(Object.assign(document.createElement('style'), { textContent: 'p {}' }))",
    /style-src/,
  ],
};

for (const [what, [script, complaint]] of Object.entries(COMPLAINTS)) {
  test(`a page fails for ${what}`, async () => {
    const visit = await journey().open("/dashboard/sign-in");
    await visit.page.getByRole("heading", { level: 1 }).waitFor();
    await visit.page.evaluate(script);
    await until("it is noticed", () => visit.complaints.length > 0);
    await assert.rejects(async () => visit[Symbol.asyncDispose](), complaint);
  });
}

test("a page with accessibility problems fails", async () => {
  await using visit = await journey().open("/dashboard/sign-in");
  await visit.page.getByRole("heading", { level: 1 }).waitFor();
  await visit.page.evaluate("document.body.append(document.createElement('button'))");
  await assert.rejects(() => visit.axe(), /button-name/);
});

test("the first failure is reported with the page's complaints", async () => {
  const failing = explained(async () => {
    await using visit = await journey().open("/dashboard/sign-in");
    await visit.page.evaluate("console.error('something is wrong')");
    await until("it is noticed", () => visit.complaints.length > 0);
    throw new Error("the button is missing");
  });
  await assert.rejects(failing, /the button is missing[^]*something is wrong/);
});

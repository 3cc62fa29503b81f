import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { shareChromium, WITHOUT_CHROMIUM as skip } from "../helpers/chromium.ts";
import { startTestService, type TestService } from "../helpers/service.ts";

let service: TestService;
let chromium: Awaited<ReturnType<typeof shareChromium>>;

before(async () => {
  if (skip !== false) return;
  service = await startTestService();
  chromium = await shareChromium();
});

after(async () => {
  if (skip !== false) return;
  await chromium[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

interface Visit extends AsyncDisposable {
  page: Page;
  /** What the console and the page said was wrong, violations of the content security policy among it. */
  complaints: string[];
  /** The origins that were asked for anything. */
  origins: Set<string>;
}

async function visit(path: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await chromium.browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  const origins = new Set<string>();
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (/^(https?|wss?):/.test(request.url())) origins.add(new URL(request.url()).origin);
  });
  await page.goto(`${service.url}${path}`);
  return { page, complaints, origins, [Symbol.asyncDispose]: () => context.close() };
}

const OPERATIONS = {
  "List articles": "articles/GET/api/public/articles",
  "Get one article": "articles/GET/api/public/articles/{id}",
  "List events": "events/GET/api/public/events",
  "An article was published": "webhooks/webhook/POST/article.published",
  "A published article was changed": "webhooks/webhook/POST/article.updated",
  "An article was deleted or unpublished": "webhooks/webhook/POST/article.deleted",
};

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [1280, 390]) {
    test(`/docs shows every operation and asks nobody else, ${colorScheme}, ${width} px wide`, { skip }, async () => {
      const viewport = { width, height: 900 };
      await using visited = await visit("/docs", { colorScheme, viewport });
      const { page, complaints, origins } = visited;
      // The viewer renders distant parts only when they are scrolled to.
      for (const [name, place] of Object.entries(OPERATIONS)) {
        await page.goto(`${service.url}/docs#tag/${place}`);
        await page.getByRole("heading", { name, exact: true }).waitFor();
      }
      assert.equal(await page.title(), "Rostrum API");
      assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width);
      assert.equal(await page.evaluate("document.body.className.includes('dark-mode')"), colorScheme === "dark");
      assert.deepEqual({ complaints, origins: [...origins] }, { complaints: [], origins: [service.url] });
    });
  }
}

test("/docs/management shows the other API, and each page leads to the other", { skip }, async () => {
  await using visited = await visit("/docs");
  const { page, complaints, origins } = visited;
  await page.getByRole("link", { name: "Management API" }).click();
  await page.getByRole("heading", { name: "Rostrum management API" }).waitFor();
  for (const [name, place] of [
    ["Change an article", "articles/PATCH/api/management/articles/{id}"],
    ["List what others did", "feedback/GET/api/management/feedback"],
  ] as const) {
    await page.goto(`${service.url}/docs/management#tag/${place}`);
    await page.getByRole("heading", { name, exact: true }).waitFor();
  }
  assert.equal(await page.title(), "Rostrum management API");
  await page.getByRole("link", { name: "Read API" }).click();
  await page.getByRole("heading", { name: "Rostrum API", exact: true }).waitFor();
  assert.deepEqual({ complaints, origins: [...origins] }, { complaints: [], origins: [service.url] });
});

test("a request can be tried from /docs with a key, on this service alone", { skip }, async () => {
  await using visited = await visit("/docs");
  const { page, complaints, origins } = visited;
  await page.getByPlaceholder("Paste your key").first().fill(service.key);
  await page
    .getByRole("button", { name: /Test Request/ })
    .first()
    .click();
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.url().includes("/api/public/articles?")),
    page.getByRole("button", { name: /^Send get request/ }).click(),
  ]);
  assert.equal(answer.status(), 200);
  assert.equal(new URL(answer.url()).search, "?limit=3");
  assert.deepEqual({ complaints, origins: [...origins] }, { complaints: [], origins: [service.url] });
});

test("without JavaScript /docs names the operations and leads to the description", { skip }, async () => {
  await using visited = await visit("/docs", { javaScriptEnabled: false });
  const { page, complaints } = visited;
  assert.match(await page.locator("main").innerText(), /GET \/api\/public\/articles\/\{id\}/);
  assert.deepEqual(complaints, []);
  await page.getByRole("link", { name: "/api/public/openapi.json" }).click();
  await page.waitForURL("**/api/public/openapi.json");
  assert.match(await page.locator("body").innerText(), /"openapi":\s*"3\.1/);
});

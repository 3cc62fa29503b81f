/** What every page has: navigation, the website's menu, shortcuts, colours, and changes by others. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { until } from "../helpers/until.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";

const journey = shared(startJourney);

function heading(page: Page, name: string) {
  return page.getByRole("heading", { level: 1, name });
}

async function hasFocus(page: Page, text: string): Promise<void> {
  const focused = "document.activeElement.textContent";
  await until(`the focus is at “${text}”`, async () => (await page.evaluate(focused)) === text);
}

test("a first visit asks for each thing once, and for the files of its page at once", async () => {
  for (const path of ["/dashboard/articles?view=published", "/dashboard/"]) {
    await using visit = await journey().open("/dashboard/settings/account", { as: await journey().people.owner() });
    const asked: string[] = [];
    visit.page.on("request", (request) => asked.push(request.url().replace(journey().service.url, "")));
    // The previous page has requested its icon, and requests its own session.
    await visit.settled();
    asked.length = 0;
    const live = visit.page.waitForResponse(/\/live\?/);
    await visit.page.goto(`${journey().service.url}${path}`);
    await live;
    await visit.settled();
    assert.deepEqual(
      asked.filter((url, at) => asked.indexOf(url) !== at && !url.endsWith(".svg")),
      [],
      path,
    );
    const scripts = asked.filter((url) => url.endsWith(".js"));
    for (const part of ["/api/session", "since="])
      assert.ok(
        asked.some((url) => url.includes(part)),
        asked.join("\n"),
      );
    const html = await (await fetch(`${journey().service.url}${path}`)).text();
    assert.deepEqual(
      scripts.filter((url) => !html.includes(url)),
      [],
      "every script is named in the page",
    );
  }
});

test("pages are reached by keyboard; the heading gets the focus, and the tab the title", async () => {
  await using visit = await journey().open("/dashboard/", { as: await journey().people.owner() });
  const { page } = visit;
  await visit.settled();
  await page.keyboard.press("g");
  await page.keyboard.press("a");
  await heading(page, "Articles").waitFor();
  await hasFocus(page, "Articles");
  await until("the tab has its title", async () => (await page.title()) === "Articles · Rostrum");
  await page.keyboard.press("/");
  await page.keyboard.type("gk");
  assert.equal(await page.getByRole("searchbox").inputValue(), "gk", "letters are typed, and lead nowhere");
  await page.getByRole("searchbox").blur();

  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await dialog.getByText("API keys").waitFor();
  await visit.axe();
  await page.keyboard.press("g");
  await page.keyboard.press("o");
  assert.equal(await dialog.isVisible(), true, "below a dialog nothing happens");
  await dialog.getByRole("switch", { name: "Single-key shortcuts" }).uncheck();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await page.reload();
  await heading(page, "Articles").waitFor();
  await page.keyboard.press("?");
  await page.keyboard.press("g");
  await page.keyboard.press("o");
  assert.equal(await heading(page, "Articles").isVisible(), true, "they stay turned off");
});

test("the first Tab skips the navigation", async () => {
  await using visit = await journey().open("/dashboard/settings/members", { as: await journey().people.owner() });
  const { page } = visit;
  await visit.settled();
  await page.keyboard.press("Tab");
  await hasFocus(page, "Skip to the content");
  await page.keyboard.press("Enter");
  await page.locator("main:focus").waitFor();
  await page.keyboard.press("Tab");
  await hasFocus(page, "Invite");
});

test("on a narrow screen the navigation is a drawer, which closes after the choice", async () => {
  await using visit = await journey().open("/dashboard/", {
    as: await journey().people.owner(),
    width: 390,
    height: 844,
  });
  const { page } = visit;
  await page.getByRole("heading", { level: 1 }).waitFor();
  assert.equal(await page.getByRole("link", { name: "API keys" }).isVisible(), false);
  await page.getByRole("button", { name: "Open the navigation" }).click();
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("link", { name: "API keys" }).waitFor();
  await visit.axe();
  await drawer.getByRole("link", { name: "API keys" }).click();
  await heading(page, "API keys").waitFor();
  await drawer.waitFor({ state: "hidden" });
});

test("the chosen colour scheme applies before the page's own scripts run", async () => {
  const as = await journey().people.owner();
  await using visit = await journey().open("/dashboard/", { as, expected: /net::ERR_FAILED/ });
  const { page } = visit;
  const scheme = () => page.evaluate("document.documentElement.dataset.mantineColorScheme");
  await page.getByRole("heading", { level: 1 }).waitFor();
  assert.equal(await scheme(), "light");
  await page.getByRole("button", { name: /account and settings/ }).click();
  const dark = page.getByRole("menuitemradio", { name: "Dark" });
  await dark.waitFor();
  await visit.axe();
  await dark.click();
  await until("it is dark", async () => (await scheme()) === "dark");
  await page.route("**/assets/**", (route) => route.abort());
  await page.reload();
  assert.equal(await scheme(), "dark");
});

test("a browser that blocks storage shows everything, and remembers choices as long as the page is open", async () => {
  const as = await journey().people.owner();
  await using visit = await journey().open("/dashboard/settings/account", { as, expected: /./ });
  const { page } = visit;
  await page.addInitScript(
    `for (const name of ["localStorage", "sessionStorage"]) {
      Object.defineProperty(window, name, { get() { throw new DOMException("blocked", "SecurityError"); } });
    }`,
  );
  await page.goto(new URL("/dashboard/articles", page.url()).href);
  await page.locator("tbody a").first().click();
  await page.getByRole("button", { name: "More actions" }).waitFor();
  await page.keyboard.press("e");
  await page.getByRole("textbox", { name: "Content" }).pressSequentially("Typed. ");
  await page.getByRole("link", { name: "The article" }).click();
  await page
    .getByRole("dialog", { name: "Leave without saving?" })
    .getByRole("button", { name: "Leave", exact: true })
    .click();
  await page.getByRole("button", { name: "More actions" }).waitFor();
});

test("the website in the address is shown, kept while navigating, and remembered", async () => {
  const as = await journey().people.owner();
  const other = await journey().service.newWebsite({ name: "Harbour Journal" });
  await using visit = await journey().open("/dashboard/", { as });
  const { page } = visit;
  await page.getByRole("heading", { level: 1 }).waitFor();
  const switcher = page.getByRole("button", { name: /^Website: / });
  await switcher.click();
  await page.getByRole("option", { name: "Harbour Journal" }).waitFor();
  await visit.axe();
  await page.getByRole("option", { name: "Harbour Journal" }).click();
  await page.getByRole("button", { name: "Website: Harbour Journal. Switch" }).waitFor();
  await page
    .getByRole("navigation", { name: "Main" })
    .getByRole("link", { name: /^Articles/ })
    .click();
  await heading(page, "Articles").waitFor();
  assert.equal(new URL(page.url()).searchParams.get("website"), other.id);
  await page.goto(new URL("/dashboard/articles", page.url()).href);
  await page.getByRole("button", { name: "Website: Harbour Journal. Switch" }).waitFor();

  await page.goto(new URL(`/dashboard/?website=${journey().website.id}`, page.url()).href);
  await page.getByRole("button", { name: `Website: ${journey().website.name}. Switch` }).waitFor();
  await page.goto(new URL("/dashboard/?website=nobody-knows", page.url()).href);
  await heading(page, "No access to this website").waitFor();
  await visit.axe();
});

test("the navigation has only what the person may do", async () => {
  const names = {
    viewer: ["Inbox", "Overview", "Articles", "Pictures"],
    editor: ["Inbox", "Overview", "Articles", "Pictures", "Import"],
  } as const;
  for (const [role, expected] of Object.entries(names)) {
    const as = await journey().people.person(role as keyof typeof names, journey().website.id);
    await using visit = await journey().open("/dashboard/", { as });
    const links = visit.page.getByRole("navigation", { name: "Main" }).getByRole("link");
    await links.first().waitFor();
    const found = (await links.allInnerTexts()).map((text) => text.replace(/\n.*/s, ""));
    assert.deepEqual(found, expected);
  }
});

test("an unknown address says so inside the frame", async () => {
  await using visit = await journey().open("/dashboard/nowhere", { as: await journey().people.owner() });
  await heading(visit.page, "Page not found").waitFor();
  await visit.page.getByRole("main").getByRole("link", { name: "Go to the overview" }).click();
  await until("it is there", () => new URL(visit.page.url()).pathname === "/dashboard/");
});

test("other people's changes appear by themselves, and a hint says when they do not", async () => {
  const as = await journey().people.owner();
  const other = await journey().people.owner();
  const path = `/dashboard/settings/members?website=${journey().website.id}`;
  await using visit = await journey().open(path, { as, expected: /net::ERR_FAILED/ });
  const { page } = visit;
  const invite = (email: string) =>
    other.json("POST", "/members", { email, role: "viewer", website_id: journey().website.id }, 201);
  await heading(page, "Members").waitFor();
  await invite("early@example.com");
  await page.getByRole("row", { name: /early@example\.com/ }).waitFor();

  await page.route("**/dashboard/api/live*", (route) => route.abort());
  await page.reload();
  await page.getByText("Reconnecting…").waitFor();
  await invite("late@example.com");
  await page.unroute("**/dashboard/api/live*");
  // It retries at growing intervals.
  await page.getByText("Reconnecting…").waitFor({ state: "detached" });
  // It cannot know what it missed, so it refetches everything.
  await page.getByRole("row", { name: /late@example\.com/ }).waitFor();
});

/** The service is replaced or restarted while a page is open. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/process/settings/config.ts";
import { buildDashboard } from "../../tools/build-dashboard.ts";
import { WITHOUT_CHROMIUM } from "../helpers/chromium.ts";
import { tempFolder } from "../helpers/folder.ts";
import { makeSite } from "../helpers/site.ts";
import { people } from "../people/dashboard.ts";
import { WAYS } from "../restart/rounds.ts";
import { Systemd, WITHOUT_NOTIFY } from "../restart/systemd.ts";
import { startBrowser } from "./browser.ts";
import { explained } from "./journeys.ts";

const RECORD_ALERTS = `globalThis.alerts = [];
  new MutationObserver(() => {
    for (const { innerText } of document.querySelectorAll("[role=alert]")) if (innerText !== "") alerts.push(innerText);
  }).observe(document.body, { subtree: true, childList: true });`;

for (const way of WAYS) {
  test(
    `${way}: an open list shows what changes afterwards, as the same page, and no error`,
    { skip: WITHOUT_CHROMIUM || WITHOUT_NOTIFY },
    () => explained(() => watchOver(way)),
  );
}

async function watchOver(way: (typeof WAYS)[number]): Promise<void> {
  assert.notEqual(await buildDashboard(), "no-tools", "the dashboard's development packages are not installed");
  await using folder = await tempFolder();
  const site = await makeSite(folder.at("data"));
  await using systemd = await Systemd.open({ folder, env: { ROSTRUM_DRAIN_SECONDS: "1" } });
  await systemd.start();
  await using app = await openApp(readConfig({ ROSTRUM_DATA_DIR: site.data }, site.data));
  using all = people({ url: systemd.url, app });
  await using browser = await startBrowser(systemd.url);
  await using visit = await browser.open("/dashboard/articles", { as: await all.owner() });
  const { page } = visit;
  await visit.settled();
  await site.create({ title: "Before", content: "<p>Text.</p>" });
  await page.getByRole("link", { name: "Before" }).waitFor();
  await page.evaluate(RECORD_ALERTS);
  const pid = systemd.mainPid;
  await (way === "reload" ? systemd.reload() : systemd.restart());
  assert.notEqual(systemd.mainPid, pid);
  await site.create({ title: "Afterwards", content: "<p>Text.</p>" });
  await page.getByRole("link", { name: "Afterwards" }).waitFor();
  // A page that was loaded anew would not know of any.
  assert.deepEqual(await page.evaluate("globalThis.alerts"), []);
}

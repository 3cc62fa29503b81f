/**
 * A secret that is shown once cannot be lost by accident: no key and no click beside the dialog closes it before it is copied
 * or saved.
 */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { TOTP } from "otpauth";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { LOOPBACK, ScriptedReceiver } from "../helpers/webhooks.ts";
import { PASSWORD } from "../people/dashboard.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";

const journey = shared(() => startJourney(LOOPBACK));

test("the link of an invitation and a webhook's new secret stay until they are copied", async () => {
  await using receiver = await ScriptedReceiver.start();
  const { service, website, people } = journey();
  const { endpoint } = await createEndpoint(service.app, website.id, { url: receiver.url }, CLI_ORIGIN);
  const as = await people.owner();
  const context = { permissions: ["clipboard-read", "clipboard-write"] };

  await using invitation = await journey().open("/dashboard/settings/members", { as, context });
  await invitation.page.getByRole("button", { name: "Invite" }).click();
  await invitation.page.getByLabel("E-mail address").fill("guest@example.com");
  await invitation.page.getByRole("dialog").getByRole("button", { name: "Invite" }).click();
  await keeps(invitation.page, "Close without the link?", "the invitation link");

  await using rotation = await journey().open(`/dashboard/settings/webhooks/${endpoint.id}`, { as, context });
  await rotation.page.getByRole("button", { name: "More", exact: true }).click();
  await rotation.page.getByRole("menuitem", { name: "Rotate the secret" }).click();
  await rotation.page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
  await keeps(rotation.page, "Close without the secret?", "the secret");
});

test("recovery codes stay until they are saved, whatever key is pressed", async () => {
  const person = await journey().people.person("viewer", null, "codes@example.com");
  await using visit = await journey().open("/dashboard/settings/account", { as: person, width: 390 });
  const { page } = visit;
  await page.getByRole("button", { name: "Set up" }).click();
  const dialog = page.getByRole("dialog", { name: /authenticator|recovery codes/ });
  await dialog.getByLabel("Your password").fill(PASSWORD);
  await dialog.getByRole("button", { name: "Continue" }).click();
  const secret = (await dialog.getByRole("region", { name: "the secret" }).innerText()).replaceAll(" ", "");
  await dialog.getByLabel("Enter the code that the app shows").fill(new TOTP({ secret }).generate());
  await dialog.getByRole("button", { name: "Turn on" }).click();
  const codes = dialog.getByRole("list", { name: "Recovery codes" });
  await codes.waitFor();
  assert.equal(await page.evaluate(HAS_BROKEN_LINES), false, "each code is on one line");
  await stays(page, "Close without the recovery codes?", async () => codes.waitFor());
  await visit.axe();
  await dialog.getByLabel("I have saved them").check();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.getByText("10 recovery codes left").waitFor();
});

/** Whether an item is wrapped or truncated. */
const HAS_BROKEN_LINES = `[...document.querySelector("[aria-label='Recovery codes']").children].some((item) => {
  const range = document.createRange();
  range.selectNodeContents(item);
  return range.getClientRects().length > 1 || item.scrollWidth > item.clientWidth;
})`;

async function keeps(page: Page, question: string, label: string): Promise<void> {
  const secret = page.getByRole("region", { name: label });
  await secret.waitFor();
  await stays(page, question, () => secret.waitFor());
  await page.getByRole("button", { name: `Copy ${label}` }).click();
  await page.getByText("Copied.").waitFor({ state: "attached" });
  await page.keyboard.press("Escape");
  await secret.waitFor({ state: "detached" });
}

/** Escape and the close button ask first; a click beside the dialog does nothing. */
async function stays(page: Page, question: string, isThere: () => Promise<void>): Promise<void> {
  await page.mouse.click(2, 2);
  await isThere();
  await page.keyboard.press("Escape");
  const asked = page.getByRole("dialog", { name: question });
  await asked.getByRole("button", { name: "Cancel" }).press("Enter");
  await asked.waitFor({ state: "detached" });
  await isThere();
}

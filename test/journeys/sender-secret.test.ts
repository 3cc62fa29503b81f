/** Settings › Senders: a product that makes the secret itself shows it once it has the address. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { findDialect } from "../../src/domain/articles/senders/dialects.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";

const journey = shared(startJourney);

test("RankPill gets the address, its secret is pasted after that, and its article arrives", async () => {
  const { service, people, open } = journey();
  const { id } = await service.newWebsite({ name: "Secret afterwards" });
  await using visit = await open(`/dashboard/settings/senders?website=${id}`, { as: await people.owner() });
  const { page } = visit;
  await page.getByRole("button", { name: "Connect a sender" }).click();
  const dialog = page.getByRole("dialog", { name: "Connect a sender" });
  const kind = dialog.getByRole("combobox", { name: /What sends/ });
  await kind.fill("rankp");
  await kind.press("ArrowDown");
  await kind.press("Enter");
  await dialog.getByRole("button", { name: "Connect" }).click();

  const made = page.getByRole("dialog", { name: "Connect RankPill" });
  const address = await made.getByRole("region", { name: "the address" }).innerText();
  const body = JSON.stringify(findDialect("rankpill")?.sample?.body);
  const send = async () => {
    const headers = {
      "Content-Type": "application/json",
      "X-RankPill-Signature": createHmac("sha256", "rankpill-secret").update(body).digest("hex"),
    };
    return (await fetch(address.trim(), { method: "POST", headers, body })).status;
  };
  assert.equal(await send(), 401);
  const field = made.getByRole("textbox", { name: "The secret that RankPill shows" });
  await field.fill("short");
  await made.getByRole("button", { name: "Save the secret" }).click();
  await made.getByText(/A secret has 8 to 500 characters/).waitFor();
  await visit.axe();
  await field.fill("rankpill-secret");
  await field.press("Enter");
  await made.getByText("The secret of RankPill is saved.").waitFor();
  assert.equal(await send(), 200);
  await made.getByText("Arrived: A bicycle bell that everybody hears").waitFor();
  await visit.axe();
  await made.getByRole("button", { name: "Done" }).click();
  await made.waitFor({ state: "detached" });
});

/** Nobody's slow requests keep others from theirs. */
import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { API } from "../people/dashboard.ts";
import type { Browser } from "../people/dashboard.ts";
import { png } from "../helpers/pictures.ts";
import { openTeam, type Team } from "../helpers/team.ts";
import { until } from "../helpers/until.ts";

let team: Team;

before(async () => {
  team = await openTeam();
});
after(async () => {
  await team[Symbol.asyncDispose]();
  team.assertNoneFailed();
});

/** Begins to send a file, and goes no further. */
function beginUpload(path: string, { cookie = "" }: Browser) {
  const headers = {
    Cookie: cookie,
    Origin: new URL(team.service.url).origin,
    "Content-Type": "application/octet-stream",
    "Content-Length": "1000",
  };
  const sending = request(team.service.url + API + path, { method: "POST", headers, agent: false });
  sending.on("error", () => undefined);
  sending.write("x");
  return sending;
}

for (const [what, path, refused, file] of [
  ["uploads of pictures", "/assets", 6, png(51, 51)],
  ["imports", "/imports", 2, "# A\n\nText."],
] as const) {
  test(`${what} that never end leave others room for theirs`, async () => {
    const { id: ownId } = team.service.website;
    const other = await team.service.newWebsite();
    const address = (websiteId: string, name: string) => `${path}?website_id=${websiteId}&name=${name}`;
    const name = path === "/assets" ? "a.png" : "a.md";
    const slow = Array.from({ length: 40 }, () => beginUpload(address(ownId, name), team.editor));
    let refusals = 0;
    for (const one of slow) {
      one.once("response", (response) => {
        response.resume();
        if (response.statusCode === 409) refusals++;
      });
    }
    await until("the others of the same person are refused", () => refusals === slow.length - refused);
    const reply = await team.owner.sendFile(address(other.id, name), file);
    assert.equal(reply.status, 200, reply.text);
    for (const one of slow) one.destroy();
  });
}

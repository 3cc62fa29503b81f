import assert from "node:assert/strict";
import { test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { requestReset } from "../../src/operations/people/accounts.ts";
import { findCommonPasswords } from "../../src/operations/system/passwords.ts";
import { makeSetUpLink } from "../../src/operations/people/invitations.ts";
import { addMember } from "../../src/operations/people/members.ts";
import { record } from "../helpers/http.ts";
import { startTestService } from "../helpers/service.ts";
import { OWNER, people } from "./dashboard.ts";

/** Some of the beginning, of many places within, and the very last one. */
const LISTED = [
  "password123 basketball 1029384756 soso123aljg novosibirsk nokia6230i tikbalang1 kirjathsannah",
  "hausmeister headmaster eightmarch einstein1973 houseboat1 mowilliams2 mrbigzsazsa 10newgirls",
  'administrator"',
].flatMap((line) => line.split(" "));
const UNLISTED = ["seven old lanterns", "nine green bottles", "kT9vq2Lx0WmZ"];

test("the list contains passwords of its beginning, middle and end, however it is read, and no others", async () => {
  const found = await findCommonPasswords(new Set([...LISTED, ...UNLISTED]));
  assert.deepEqual([...found].toSorted(), LISTED.toSorted());
});

test("a common password is refused wherever one is set, and does not use up the link", async () => {
  await using service = await startTestService();
  using all = people(service);
  const browser = all.browser();
  const refused = async (path: string, method: string, input: Record<string, string | null>) => {
    for (const password of ["Basketball", "KirjathSannah", "Liverpool2024!", "hunter2hunter2"]) {
      const reply = await browser.send(method, path, { ...input, password });
      assert.deepEqual([reply.status, record(reply.json())["param"]], [400, "password"], password);
    }
    return browser.send(method, path, { ...input, password: "a quiet harbour in 1987" });
  };
  const token = await makeSetUpLink(service.app);
  assert.equal((await refused("/welcome", "POST", { token, email: OWNER, name: "Olga" })).status, 200);
  const invited = await addMember(
    service.app,
    { email: "ada@example.com", name: "Ada", role: "viewer", websiteId: null },
    CLI_ORIGIN,
  );
  assert.equal((await refused("/welcome", "POST", { token: invited.token })).status, 200);
  const reset = await requestReset(service.app, OWNER, {}, CLI_ORIGIN);
  assert.equal((await refused("/welcome", "POST", { token: reset.token })).status, 200);
  assert.equal((await browser.signIn(OWNER, "a quiet harbour in 1987")).status, 200);
  const current_password = "a quiet harbour in 1987";
  assert.equal((await refused("/password", "PUT", { current_password })).status, 204);
});

/** Every family of texts that were made to cost much, as preview, article or file: each is answered, and others are served. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { randomNumbers } from "../../bench/statistics.ts";
import { type Team, openTeam } from "../helpers/team.ts";
import { hostileTexts } from "../helpers/hostile-texts.ts";

/** Short enough for a test: how much longer ones cost is measured (bench/hostile-content.ts). */
const SIZES = [5_000, 20_000];

let team: Team;

before(async () => {
  team = await openTeam();
});
after(() => team[Symbol.asyncDispose]());

test("each hostile text is accepted or refused with a sentence, two at a time, and articles of another website are saved meanwhile", async () => {
  const { service, owner } = team;
  const hostile = await service.newWebsite();
  const texts = hostileTexts(SIZES, randomNumbers);
  const over = new AbortController();
  let sent = 0;
  const send = async () => {
    for (const { name, field, file, text } of texts) {
      // An import starts a process.
      const way = sent++ % 6;
      if (field === null || way === 0) {
        const url = `/imports?website_id=${hostile.id}&name=${file}`;
        const { status, text: lines } = await owner.sendFile(url, Buffer.from(text));
        assert.equal(status, 200, name);
        assert.doesNotMatch(lines, /"kind":"error"/, name);
        continue;
      }
      const changes = { title: "T", [field]: text.toWellFormed() };
      const { status, text: said } =
        way % 2 === 1
          ? await owner.send("POST", "/articles/preview", { website_id: hostile.id, changes })
          : await owner.send("POST", "/articles", { website_id: hostile.id, ...changes });
      assert.ok([200, 201, 400, 422].includes(status), `${name}: ${status} ${said}`);
    }
  };
  const honest = async () => {
    for (; !over.signal.aborted; await wait(20)) await team.newArticle({ status: "published" });
  };
  const others = honest();
  try {
    await Promise.all([send(), send()]);
  } finally {
    over.abort();
    await others;
  }
  assert.equal((await service.list()).reply.status, 200);
  team.assertNoneFailed();
});

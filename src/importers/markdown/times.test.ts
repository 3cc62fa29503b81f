import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { importAll, testFolder } from "../import-test-helpers.ts";

/** Publication, state and warnings of a post of a site in Tokyo. */
async function timesOf(date: string, name = "tea.md"): Promise<(string | null)[]> {
  await using folder = await testFolder({
    "_config.yml": "timezone: Asia/Tokyo\n",
    [name]: `---\ntitle: Tea\n${date}\n---\nText.\n`,
  });
  const [item] = await importAll(join(folder.path, name));
  if (item?.kind !== "draft") throw new Error(`no article: ${JSON.stringify(item)}`);
  const { publishedAt, status } = item.input;
  const found = publishedAt == null ? null : new Date(publishedAt).toISOString().replace(":00.000Z", "");
  return [found, status ?? null, ...(item.warnings ?? []).map(({ kind, detail }) => `${kind} ${detail}`)];
}

test("a local time is in the site's zone, one with a zone is as written, and a day is a day", async () => {
  const cases: [string, string][] = [
    ["date: 2024-01-20 08:00", "2024-01-19T23:00"],
    ["date: 2024-01-20T08:00:00", "2024-01-19T23:00"],
    ["date: Sat Jan 20 08:00:00 2024", "2024-01-19T23:00"],
    ["date: 2024-01-20T08:00:00Z", "2024-01-20T08:00"],
    ["date: 2024-01-20 08:00:00 +0100", "2024-01-20T07:00"],
    ["date: Sat, 20 Jan 2024 08:00:00 GMT", "2024-01-20T08:00"],
    ["date: 2024-01-20", "2024-01-20T00:00"],
    ["date: 20 January 2024", "2024-01-20T00:00"],
  ];
  for (const [date, right] of cases) assert.deepEqual(await timesOf(date), [right, "published"], date);
});

test("a date of which only one reading is possible is read with a warning", async () => {
  for (const [date, right] of [
    ["17/01/2020", "2020-01-17"],
    ["01/17/2020", "2020-01-17"],
    ["2.1.2020", "2020-01-02"],
    ["3/3/2020", "2020-03-03"],
  ] as const) {
    assert.deepEqual(await timesOf(`date: "${date}"`), [
      `${right}T00:00`,
      "published",
      `date_guessed date: ${date} (${right})`,
    ]);
  }
});

test("of a date that cannot be read the file's name has one, else the article is pending", async () => {
  for (const date of ["git Last Modified", "09/01/2021", "soon"]) {
    const warning = `date_guessed date: ${date} (not a date that can be read)`;
    assert.deepEqual(await timesOf(`date: ${date}`, "2021-02-03-tea.md"), ["2021-02-03T00:00", "published", warning]);
    assert.deepEqual(await timesOf(`date: ${date}`), [null, "pending", warning]);
    assert.deepEqual(await timesOf(`date: ${date}\nstatus: published`), [null, "pending", warning]);
  }
});

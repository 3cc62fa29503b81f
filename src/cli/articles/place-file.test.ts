import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { tempFolder } from "../../../test/helpers/folder.ts";
import { placeFile } from "./place-file.ts";

test("files that several commands write into one folder at once have each its own content, and nothing else stays", async () => {
  await using folder = await tempFolder();
  const numbers = Array.from({ length: 50 }, (_none, number) => String(number));
  await Promise.all(numbers.map((number) => placeFile(folder.at(number), number)));
  assert.deepEqual(readdirSync(folder.path).toSorted(), numbers.toSorted());
  for (const number of numbers) assert.equal(readFileSync(folder.at(number), "utf8"), number);
});

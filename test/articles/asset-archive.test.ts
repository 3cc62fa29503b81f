/** An export with pictures, on either engine: what comes back is what was exported. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { exportArchive, importArchive } from "../../src/operations/articles/assets/asset-archive.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import {
  addAsset,
  assetUrl,
  deleteAsset,
  listLibrary,
  openAsset,
} from "../../src/operations/articles/assets/assets.ts";
import { exportArticles } from "../../src/operations/articles/import/exports.ts";
import { CHIEF } from "../helpers/articles.ts";
import { tempFolder } from "../helpers/folder.ts";
import { png } from "../helpers/pictures.ts";
import { openTeam } from "../helpers/team.ts";

test("an archive gives a website its articles and pictures back, and another website the same with its own addresses", async () => {
  await using team = await openTeam();
  await using files = await tempFolder();
  const { app, website } = team.service;
  const base = "https://articles.example.com";
  const add = async (side: number) => {
    writeFileSync(files.at("p.png"), png(side, side));
    return addAsset(app, website.id, { path: files.at("p.png"), name: `${side}.png`, alt: `Alt ${side}` }, CLI_ORIGIN);
  };
  const [kept, gone] = [await add(30), await add(31)];
  await deleteAsset(app, gone, CLI_ORIGIN);
  const markdown = `![A](${assetUrl(kept, website, base)})\n\n![B](${assetUrl(gone, website, base)})`;
  await createArticle(app, website.id, { title: "A", markdown }, CHIEF);
  const lines = (await Array.fromAsync(exportArticles(app, website.id, undefined))).join("");
  const archive = files.at("all.tar");
  await writeFile(archive, exportArchive(app, website, exportArticles(app, website.id, undefined), base));

  await using same = await importArchive(app, archive, { website, base, origin: CLI_ORIGIN });
  assert.equal(readFileSync(same.articles, "utf8"), lines);

  const other = await team.service.newWebsite();
  await using moved = await importArchive(app, archive, { website: other, base, origin: CLI_ORIGIN });
  assert.deepEqual(moved.skipped, []);
  const wanted = lines.replaceAll(`${website.id}/${kept.hash}/`, `${other.id}/${kept.hash}/`);
  assert.notEqual(wanted, lines);
  assert.equal(readFileSync(moved.articles, "utf8"), wanted);
  const { assets } = await listLibrary(app, other.id, null, 10);
  assert.deepEqual(
    assets.map(({ name, alt, hash }) => ({ name, alt, hash })),
    [{ name: "30.png", alt: "Alt 30", hash: kept.hash }],
  );
  const opened = await openAsset(app, other.id, kept.hash);
  assert.deepEqual(readFileSync(opened?.path ?? ""), png(30, 30));
  team.assertNoneFailed();
});

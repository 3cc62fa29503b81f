/** Files of a blog, dropped in the dashboard, beside `rostrum import` of their folder. */
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openApp } from "../src/app/app.ts";
import { readConfig } from "../src/process/settings/config.ts";
import { openLog } from "../src/process/log.ts";
import { CLI_ORIGIN } from "../src/domain/system/audit.ts";
import { createWebsite } from "../src/operations/website/websites.ts";
import { startService } from "../src/service/service.ts";
import { people } from "../test/people/dashboard.ts";
import { benchArticle, SITE } from "./articles.ts";
import type { Bench } from "./bench.ts";
import { runToEnd } from "./processes.ts";
import { noteTable, type Section } from "./report.ts";
import { ROSTRUM } from "./servers.ts";

const COUNTS = [20, 300];
/** Of the command's rate. */
const GOAL_RATIO = 0.5;

export const importingFiles: Bench = async ({ place: newPlace }): Promise<Section> => {
  const { folder, environment } = await newPlace("import-files");
  await using app = await openApp(readConfig({ PORT: "0", ...environment }, folder));
  await using service = await startService(app, openLog("error"));
  using all = people({ url: service.url, app });
  const owner = await all.owner();
  const measured: { count: number; command: number; dashboard: number }[] = [];
  for (const count of COUNTS) {
    const files = Array.from({ length: count }, (_none, number) => toFile(count + number));
    const path = join(folder, `blog-${count}`);
    await mkdir(path);
    for (const { name, text } of files) await writeFile(join(path, name), text);
    const byCommand = await createWebsite(app, { ...SITE, name: `Command ${count}` }, CLI_ORIGIN);
    const { output, seconds: command } = await runToEnd(
      [process.execPath, ROSTRUM, "import", path, "--website", byCommand.id, "--json"],
      { directory: folder, environment },
    );
    assert.equal((JSON.parse(output) as { created: number }).created, count);
    const dropped = await createWebsite(app, { ...SITE, name: `Dashboard ${count}` }, CLI_ORIGIN);
    const list = files.map(({ name, text }) => ({ name: `blog/${name}`, size: Buffer.byteLength(text) }));
    const body = `${JSON.stringify(list)}\n${files.map(({ text }) => text).join("")}`;
    const startedAt = performance.now();
    const query = new URLSearchParams({ website_id: dropped.id, name: "blog", folder: "blog", files: "true" });
    const reply = await owner.sendFile(`/imports?${query.toString()}`, body);
    const dashboard = (performance.now() - startedAt) / 1_000;
    assert.match(reply.text, new RegExp(`"kind":"summary","created":${count},`));
    measured.push({ count, command, dashboard });
  }
  return {
    figures: measured.map(({ count, command, dashboard }) => ({
      what: `${count} files in the dashboard, their rate times that of \`rostrum import\``,
      value: `${(command / dashboard).toFixed(2)} (${dashboard.toFixed(1)} s)`,
      goal: `≥ ${GOAL_RATIO}`,
      met: command / dashboard >= GOAL_RATIO,
    })),
    notes: [
      "Markdown files of 6 to 8 kB in one folder, in one request; the first also starts the dashboard's thread and the processes.",
      noteTable(
        ["files", "command", "dashboard"],
        measured.map(({ count, command, dashboard }) => [
          String(count),
          `${command.toFixed(1)} s`,
          `${dashboard.toFixed(1)} s`,
        ]),
      ),
    ],
  };
};

function toFile(number: number): { name: string; text: string } {
  const { title, slug, content } = benchArticle(number);
  return { name: `${slug}.md`, text: `---\ntitle: ${JSON.stringify(title)}\n---\n${content}\n` };
}

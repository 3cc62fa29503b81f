/** The order of folders that tools/floors.ts states: the code keeps to it, and the linter refuses what does not. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { parseSync } from "oxc-parser";
import { TREES, violation } from "../../tools/floors.ts";
import { tempFolder } from "../helpers/folder.ts";
import { record, records } from "../helpers/http.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const MAX_FILES_PER_FOLDER = 24;

for (const [root, { floors }] of Object.entries(TREES)) {
  describe(root, () => {
    const files = globSync(`${root}/**/*.{ts,tsx}`, { cwd: ROOT }).filter((file) => !/\.test\.tsx?$/.test(file));

    test("has every folder on one floor", () => {
      const tops = readdirSync(join(ROOT, root)).toSorted();
      assert.deepEqual(floors.flat().toSorted(), tops);
    });

    test("has no import of a higher floor or area, types included", () => {
      const wrong = files.flatMap((file) =>
        importsOf(file).flatMap(({ module, isType }) => {
          const message = violation(file, module, isType);
          return message === undefined ? [] : `${file} imports ${module}: ${message}`;
        }),
      );
      assert.deepEqual(wrong, []);
    });
  });
}

function importsOf(file: string): { module: string; isType: boolean }[] {
  const text = readFileSync(join(ROOT, file), "utf8");
  const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module;
  const quoted = (start: number, end: number) => text.slice(start, end).replaceAll(/^["'`]|["'`]$/g, "");
  return [
    ...staticImports.map(({ moduleRequest, entries }) => ({
      module: moduleRequest.value,
      isType: entries.length > 0 && entries.every(({ isType }) => isType),
    })),
    ...staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest, isType }) =>
        moduleRequest === null ? [] : [{ module: moduleRequest.value, isType }],
      ),
    ),
    ...dynamicImports.map(({ moduleRequest: { start, end } }) => ({ module: quoted(start, end), isType: false })),
    ...Array.from(text.matchAll(/\brequire\("([^"]+)"\)/g), ([, module = ""]) => ({ module, isType: false })),
  ];
}

test(`no folder of src has more than ${MAX_FILES_PER_FOLDER} files, tests aside`, () => {
  const counts = new Map<string, number>();
  for (const file of globSync("src/**/*.ts", { cwd: ROOT })) {
    if (!file.endsWith(".test.ts")) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  }
  assert.deepEqual(
    [...counts].filter(([, count]) => count > MAX_FILES_PER_FOLDER),
    [],
  );
});

test("the linter refuses one forbidden import of each floor, each area and each reserved module", async () => {
  await using folder = await tempFolder();
  cpSync(join(ROOT, ".oxlintrc.json"), folder.at(".oxlintrc.json"));
  cpSync(join(ROOT, "tools", "floors.ts"), folder.at("tools/floors.ts"));
  symlinkSync(join(ROOT, "node_modules"), folder.at("node_modules"));
  const plant = (name: string, line: string): string => {
    mkdirSync(dirname(folder.at(name)), { recursive: true });
    writeFileSync(folder.at(name), `${line}\n`);
    return name;
  };
  const planted = forbidden().map(([at, line], index) => plant(`${at}/planted-${index}.ts`, line));
  assert.ok(planted.length > 40);
  plant("src/operations/people/allowed.ts", 'export { one } from "../system/one.ts";');
  plant("dashboard/src/features/audit/allowed.ts", 'export type { One } from "../../../../src/http/admin/one.ts";');
  const refused = await lint(folder.path);
  assert.deepEqual(refused.toSorted(), planted.toSorted());
});

/** A folder, and a line that no file in it may have. */
function forbidden(): [folder: string, line: string][] {
  const src = TREES.src;
  const folders = Object.entries(TREES).flatMap(([root, { floors }]) =>
    floors.slice(0, -1).flatMap((floor, index): [string, string][] =>
      floor
        .filter((name) => !name.includes("."))
        .flatMap((name): [string, string][] => {
          const beside = floor.find((other) => other !== name);
          const targets = [floors[index + 1]?.[0] ?? "", ...(beside === undefined ? [] : [beside])];
          return targets.map((target) => [`${root}/${name}`, `import "../${target.replace(/\.tsx?$/, "")}/one.ts";`]);
        }),
    ),
  );
  const areas = src.withAreas.flatMap((room) =>
    src.areas
      .slice(0, -1)
      .map((area, index): [string, string] => [
        `src/${room}/${area}`,
        `export type One = import("../${src.areas[index + 1]}/one.ts").One;`,
      ]),
  );
  return [
    ...folders,
    ...areas,
    ["src/operations/system", 'export { one } from "node:sqlite";'],
    ["src/store/engine/sqlite", 'import "pg";'],
    ["src/store/engine/postgres", 'export const one = () => import("node:sqlite");'],
    ["src/domain/articles/content/redline", 'import "../../../../http/one.ts";'],
    ["src/domain/system", 'import "node:fs";'],
    ["src/store", 'const require = (name: string) => name;\nexport const one = require("../app/one.ts");'],
    ["dashboard/src/features/audit", 'import "../members/one.ts";'],
    ["dashboard/src/features/review/editor/visual", 'import "../../../assets/one.ts";'],
    ["dashboard/src/app", 'export { one } from "../../../src/http/admin/one.ts";'],
  ];
}

/** @returns the files that the rule refuses. */
async function lint(folder: string): Promise<string[]> {
  const program = join(ROOT, "node_modules", "oxlint", "bin", "oxlint");
  assert.ok(existsSync(program));
  const { promise, resolve } = Promise.withResolvers<string>();
  execFile(process.execPath, [program, "--format", "json"], { cwd: folder }, (_error, stdout) => resolve(stdout));
  const { diagnostics } = record(JSON.parse(await promise));
  const found = records(diagnostics).filter(({ code }) => code === "floors(imports)");
  return found.map(({ filename }) => String(filename));
}

/**
 * `npm run test:generators`: checks openapi.json and openapi-management.json with the strict rules of Redocly and Spectral, generates clients from them with
 * openapi-typescript, hey-api and orval, and compiles code that uses them strictly. It installs the generators with npm, so it
 * is not a part of `npm test`.
 */
import { execFile } from "node:child_process";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { tempFolder } from "../helpers/folder.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const PACKAGES = [
  "@hey-api/openapi-ts@0.99.0",
  "@redocly/cli@2.77.0",
  "@stoplight/spectral-cli@6.16.3",
  "openapi-fetch@0.17.0",
  "openapi-typescript@7.13.0",
  "orval@8.38.0",
  "typescript@5.9.3",
];

const FILES = {
  "package.json": '{ "private": true, "type": "module" }',
  // No path is ambiguous, because ids are UUIDs and `by-slug` is not one.
  "redocly.yaml": "extends: [recommended-strict]\nrules: { no-ambiguous-paths: off }\n",
  "spectral.yaml": 'extends: ["spectral:oas"]\n',
  "orval.config.mjs": `export default {
       read: { input: "openapi.json", output: { target: "made/orval.ts", client: "fetch" } },
       management: { input: "openapi-management.json", output: { target: "made/orval-management.ts", client: "fetch" } },
     };\n`,
  "tsconfig.json": JSON.stringify({
    compilerOptions: {
      strict: true,
      noUncheckedIndexedAccess: true,
      target: "es2024",
      lib: ["es2024", "dom", "dom.iterable"],
      module: "esnext",
      moduleResolution: "bundler",
      noEmit: true,
      // The generators' own libraries.
      skipLibCheck: true,
      types: [],
    },
    include: ["use.ts", "made"],
  }),
  "use.ts": `
import createClient from "openapi-fetch";
import { listArticles as listByHeyApi } from "./made/hey-api";
import { listArticles as listByOrval } from "./made/orval";
import { putArticle as putByHeyApi } from "./made/hey-api-management";
import { putArticle as putByOrval } from "./made/orval-management";
import type { paths as ManagementPaths } from "./made/openapi-typescript-management";
import type { components, paths } from "./made/openapi-typescript";

type Same<One, Other> = [One, Other] extends [Other, One] ? true : false;
const query = { limit: 3, author: "Ada", urls: "absolute", include: ["content", "authors"] } as const;

const client = createClient<paths>({ baseUrl: "https://example.com", headers: { "X-API-Key": "rs_" } });
const fetched = await client.GET("/api/public/articles", {
  params: { query: { ...query, include: [...query.include] } },
});
const titles: (string | undefined)[] = fetched.data?.data.articles.map(({ title }) => title) ?? [];
const refusal: string | undefined = fetched.error?.error;

const { data } = await listByHeyApi({ query: { ...query, include: [...query.include] } });
const first: string | undefined = data?.data.articles[0]?.title;

const answer = await listByOrval({ ...query, include: [...query.include] });
const second: string | undefined = answer.status === 200 ? answer.data.data.articles[0]?.title : undefined;

type Schemas = components["schemas"];
export function titleOf(event: Schemas["FeedEvent"]): string | null {
  return event.event === "article.deleted" ? null : event.data.title;
}
const isPartial: Same<Schemas["ArticleSelection"]["title"], string | undefined> = true;

const token = { headers: { Authorization: "Bearer rm_" } };
const management = createClient<ManagementPaths>({ baseUrl: "https://example.com", ...token });
const body = { title: "Oolong", markdown: "Tea", tags: ["tea"] };
const params = { path: { external_id: "tea-1" } };
const put = await management.PUT("/api/management/articles/by-external-id/{external_id}", { params, body });
const outcome: "created" | "updated" | "unchanged" | "held" | undefined = put.data?.outcome;
const etag: string | undefined = put.data?.article.etag;
const patched = await management.PATCH("/api/management/articles/{id}", {
  params: { path: { id: put.data?.article.id ?? "" }, header: { "If-Match": etag ?? "*" } },
  body: { meta_title: null },
});
const why: string | undefined = patched.error?.code;
const byHeyApi = await putByHeyApi({ path: { external_id: "tea-1" }, body, ...token });
const held: string[] | undefined = byHeyApi.data?.held_fields;
const byOrval = await putByOrval("tea-1", body, undefined, token);
const state: string | undefined = byOrval.status === 200 ? byOrval.data.article.state : undefined;
console.log(titles, refusal, first, second, isPartial, outcome, why, held, state);
`,
};

await using folder = await tempFolder();
for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder.path, name), text);
await run("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", ...PACKAGES);
for (const [name, suffix] of [
  ["openapi.json", ""],
  ["openapi-management.json", "-management"],
] as const) {
  copyFileSync(join(ROOT, name), join(folder.path, name));
  await run("npx", "redocly", "lint", "--max-problems=100", name);
  await run("npx", "spectral", "lint", "--ruleset", "spectral.yaml", "--fail-severity", "hint", name);
  await run("npx", "openapi-typescript", name, "--output", `made/openapi-typescript${suffix}.ts`);
  await run("npx", "openapi-ts", "--input", name, "--output", `made/hey-api${suffix}`);
}
await run("npx", "orval", "--config", "orval.config.mjs");
await run("npx", "tsc", "-p", ".");
process.stdout.write(
  "Both descriptions pass Redocly and Spectral, and what three generators make of them compiles strictly.\n",
);

async function run(command: string, ...args: string[]): Promise<void> {
  try {
    const env = { ...process.env, REDOCLY_TELEMETRY: "off" };
    await promisify(execFile)(command, args, { cwd: folder.path, env, maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(" ")}\n${stdout}${stderr}`, { cause: error });
  }
}

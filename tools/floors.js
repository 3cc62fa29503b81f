/**
 * A linter rule: a file imports from its own folder of src/ or from a lower floor, and within a floor from its own area or an earlier
 * one. It decides by the folder that the import leads to. `.oxlintrc.json` loads it; test/contract/floors.test.ts plants an import
 * against each floor and area.
 */
import { dirname, join, relative, sep } from "node:path";

const SOURCE = join(import.meta.dirname, "..", "src");

/** From the lowest; folders of one floor never import each other. */
export const FLOORS = [
  ["domain"],
  ["store"],
  ["operations"],
  ["http", "webhooks", "importers", "email"],
  ["process"],
  ["content-processes"],
  ["asset-files"],
  ["app"],
  ["workers"],
  ["service"],
  ["cli"],
  ["main.ts"],
];

/** The folders of these floors that are areas, from the lowest. */
export const AREAS = ["system", "people", "webhooks", "articles", "website"];
export const FLOORS_WITH_AREAS = ["domain", "store", "operations", "http/admin"];

/** Files that still import against the order; the list is to become empty. */
const EXCEPTIONS = new Set([
  "domain/articles/content/measure/language-detector.ts",
  "domain/webhooks/event.ts",
  "operations/webhooks/record-attempts.ts",
]);

/** Built-in modules and packages that only these folders may import. */
export const RESERVED = [
  { module: /^node:sqlite$/, folder: "store/engine/sqlite" },
  { module: /^pg$/, folder: "store/engine/postgres" },
];
const IMPURE = /^(?:node:(?:fs|fs\/promises|net|http|https|sqlite|child_process|worker_threads)|pg|undici|fastify)$/;

/**
 * @param {string} from a file, relative to src/, with `/`
 * @param {string} specifier as written in the import
 * @returns {string | undefined} what is wrong with the import
 */
export function violation(from, specifier) {
  if (EXCEPTIONS.has(from)) return undefined;
  if (!specifier.startsWith(".")) return moduleViolation(from, specifier);
  const to = join(dirname(from), specifier).replaceAll(sep, "/");
  if (to.startsWith("..")) return undefined;
  const [source, target] = [floor(from), floor(to)];
  if (source === -1 || target === -1)
    return `${source === -1 ? from : to} is on no floor: add its folder to tools/floors.js.`;
  const [folder, targetFolder] = [first(from), first(to)];
  if (folder !== targetFolder) {
    return target < source ? undefined : `${folder}/ is below or beside ${targetFolder}/ and must not import it.`;
  }
  const [area, targetArea] = [areaOf(from), areaOf(to)];
  return area !== -1 && targetArea > area
    ? `The area ${AREAS[area]} is below ${AREAS[targetArea]} and must not import it.`
    : undefined;
}

function moduleViolation(from, specifier) {
  if (first(from) === "domain" && IMPURE.test(specifier)) return "domain/ is pure: it does no input or output.";
  const reserved = RESERVED.find(({ module }) => module.test(specifier));
  return reserved !== undefined && !from.startsWith(`${reserved.folder}/`)
    ? `Only ${reserved.folder}/ imports ${specifier}.`
    : undefined;
}

const first = (path) => path.split("/", 1)[0];
const floor = (path) => FLOORS.findIndex((folders) => folders.includes(first(path)));

function areaOf(path) {
  const root = FLOORS_WITH_AREAS.find((prefix) => path.startsWith(`${prefix}/`));
  return root === undefined ? -1 : AREAS.indexOf(path.slice(root.length + 1).split("/", 1)[0]);
}

const imports = {
  create(context) {
    const path = relative(SOURCE, context.filename).replaceAll(sep, "/");
    if (path.startsWith("..")) return {};
    const check = (node) => {
      const specifier = node.source?.value;
      if (typeof specifier !== "string") return;
      const message = violation(path, specifier);
      if (message !== undefined) context.report({ node, message });
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      TSImportType: check,
    };
  },
};

export default { meta: { name: "floors" }, rules: { imports } };

/**
 * A linter rule: a file imports from its own folder of the tree or from a lower floor, and within a floor from its own area or an
 * earlier one. It decides by the folder that the import leads to. `.oxlintrc.json` loads it; test/contract/floors.test.ts plants an
 * import against each floor and area.
 */
import { dirname, join, relative, sep } from "node:path";

const ROOT = join(import.meta.dirname, "..");

interface Tree {
  /** From the lowest; folders of one floor never import each other. */
  floors: readonly (readonly string[])[];
  /** From the lowest; folders of each of `withAreas`. */
  areas: readonly string[];
  withAreas: readonly string[];
  /** The folders in each of these never import each other. */
  separate: readonly string[];
  /** Modules that only one folder may import. */
  reserved: readonly { module: string; folder: string }[];
}

export const TREES: Record<"src" | "dashboard/src", Tree> = {
  src: {
    floors: [
      ["domain"],
      ["store"],
      ["operations"],
      ["telemetry"],
      ["http", "webhooks", "importers", "email"],
      ["process"],
      ["content-processes"],
      ["asset-files"],
      ["backup"],
      ["app"],
      ["workers"],
      ["service"],
      ["cli"],
      ["main.ts"],
    ],
    areas: ["system", "people", "webhooks", "articles", "website"],
    withAreas: ["domain", "store", "operations", "http/admin"],
    separate: [],
    reserved: [
      { module: "node:sqlite", folder: "store/engine/sqlite" },
      { module: "pg", folder: "store/engine/postgres" },
    ],
  },
  "dashboard/src": {
    floors: [["icons.d.ts"], ["api"], ["shared"], ["features"], ["app"], ["main.tsx"]],
    areas: [],
    withAreas: [],
    separate: ["features"],
    reserved: [],
  },
};

/** What domain/ must not import: it does no input or output. */
const IMPURE = /^(?:node:(?:fs|fs\/promises|net|http|https|sqlite|child_process|worker_threads)|pg|undici|fastify)$/;

/** What is wrong with an import. `from`: a file, from the root, with `/`; `specifier`: as written. */
export function violation(from: string, specifier: string, isType: boolean): string | undefined {
  const root = rootOf(from);
  if (root === undefined) return undefined;
  const source = from.slice(root.length + 1);
  if (!specifier.startsWith(".")) return moduleViolation(TREES[root], source, specifier);
  const to = join(dirname(from), specifier).replaceAll(sep, "/");
  if (rootOf(to) === root) return orderViolation(TREES[root], source, to.slice(root.length + 1));
  return root !== "src" && to.startsWith("src/") && !isType
    ? "Only types come from the server: import type."
    : undefined;
}

function orderViolation(tree: Tree, from: string, to: string): string | undefined {
  const [source, target] = [floor(tree, from), floor(tree, to)];
  if (source === -1 || target === -1)
    return `${source === -1 ? from : to} is on no floor: add its folder to tools/floors.ts.`;
  const [folder, targetFolder] = [first(from), first(to)];
  if (folder !== targetFolder)
    return target < source ? undefined : `${folder}/ is below or beside ${targetFolder}/ and must not import it.`;
  const [area, targetArea] = [areaOf(tree, from), areaOf(tree, to)];
  if (area !== -1 && targetArea > area)
    return `The area ${tree.areas[area]} is below ${tree.areas[targetArea]} and must not import it.`;
  const [part, targetPart] = [within(folder, from), within(folder, to)];
  return tree.separate.includes(folder) && part !== targetPart
    ? `${folder}/${part} must not import ${folder}/${targetPart}: what both need belongs below them.`
    : undefined;
}

function moduleViolation(tree: Tree, from: string, module: string): string | undefined {
  if (tree === TREES.src && first(from) === "domain" && IMPURE.test(module))
    return "domain/ is pure: it does no input or output.";
  const reserved = tree.reserved.find((one) => one.module === module);
  return reserved !== undefined && !from.startsWith(`${reserved.folder}/`)
    ? `Only ${reserved.folder}/ imports ${module}.`
    : undefined;
}

const ROOTS = ["src", "dashboard/src"] as const;
const rootOf = (path: string) => ROOTS.find((root) => path.startsWith(`${root}/`));
const first = (path: string): string => path.split("/", 1)[0] ?? "";
const within = (folder: string, path: string): string => first(path.slice(folder.length + 1));
const floor = ({ floors }: Tree, path: string): number => floors.findIndex((names) => names.includes(first(path)));

function areaOf({ areas, withAreas }: Tree, path: string): number {
  const root = withAreas.find((prefix) => path.startsWith(`${prefix}/`));
  return root === undefined ? -1 : areas.indexOf(within(root, path));
}

/** What the rule reads of the linter's nodes. */
interface ImportNode {
  type: string;
  source?: { value?: unknown } | null;
  importKind?: string;
  exportKind?: string;
}

interface CallNode extends ImportNode {
  callee: { name?: string };
  arguments: { value?: unknown }[];
}

interface Context {
  filename: string;
  report(problem: { node: ImportNode; message: string }): void;
}

const imports = {
  create(context: Context) {
    const path = relative(ROOT, context.filename).replaceAll(sep, "/");
    if (rootOf(path) === undefined) return {};
    const check = (node: ImportNode) => {
      const specifier = node.source?.value;
      if (typeof specifier !== "string") return;
      const isType = node.type === "TSImportType" || node.importKind === "type" || node.exportKind === "type";
      const message = violation(path, specifier, isType);
      if (message !== undefined) context.report({ node, message });
    };
    return {
      CallExpression: (node: CallNode) => {
        const [source] = node.arguments;
        if (node.callee.name === "require" && source !== undefined) check({ ...node, source });
      },
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      TSImportType: check,
    };
  },
};

export default { meta: { name: "floors" }, rules: { imports } };

/**
 * Fails if a regular expression of src/ could take more than linear time (according to `recheck`), or if one is built at run
 * time, so that it cannot be checked. Checks literals, `new RegExp("…")` and the `pattern` of a schema, but not tests. Results
 * are cached in node_modules/.cache; `--all` ignores the cache.
 */
import { createHash } from "node:crypto";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { type Node, parseSync, Visitor } from "oxc-parser";
import { check } from "recheck";

const ROOT = join(import.meta.dirname, "..");
const CACHE = join(ROOT, "node_modules", ".cache", "rostrum", "safe-regexes.json");
/**
 * Only `timeout` is a time, far more than any of ours needs; an expression that takes longer counts as unsafe. What recheck
 * would limit by time besides is limited by the characters it reads, so that a slow machine finds what a fast one finds.
 */
const LIMITS = {
  timeout: 120_000,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
} as const;

/**
 * Expressions that recheck reports as superlinear but that only ever match short texts; each states what bounds the text.
 * Prefer to rewrite the expression: an entry here needs a proof of its bound.
 */
const BOUNDED: Readonly<Record<string, string>> = {};

interface Found {
  source: string;
  flags: string;
  /** `src/file.ts:12` */
  places: string[];
}

const found = new Map<string, Found>();
const faults: string[] = [];
for (const file of globSync("src/**/*.ts", { cwd: ROOT }).toSorted()) if (!file.endsWith(".test.ts")) collect(file);

const safe = new Set<string>(process.argv.includes("--all") ? [] : remembered());
const left = found.entries();
await Promise.all(Array.from({ length: availableParallelism() }, checkWhatIsLeft));
for (const id of Object.keys(BOUNDED)) if (!found.has(id)) faults.push(`${id} is excused and not there any more`);

if (faults.length > 0) {
  process.stderr.write(
    `${faults.join("\n")}\nWrite it so that its time grows with the text only, or use functions of strings.\n`,
  );
  process.exitCode = 1;
}

/** Several of these share what is left. */
async function checkWhatIsLeft(): Promise<void> {
  for (const [id, { source, flags, places }] of left) {
    if (id in BOUNDED || safe.has(digest(id))) continue;
    const verdict = await check(source, flags, LIMITS);
    if (verdict.status === "safe") {
      safe.add(digest(id));
      remember(safe);
    } else {
      const why =
        verdict.status === "vulnerable"
          ? `${verdict.complexity.summary}, for example on ${verdict.attack.pattern}`
          : `not decided (${verdict.error.kind})`;
      faults.push(`${places.join(", ")}: /${source}/${flags} is ${why}`);
    }
  }
}

function collect(file: string): void {
  const text = readFileSync(join(ROOT, file), "utf8");
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  const placeOf = (node: { start: number }) => `${file}:${text.slice(0, node.start).split("\n").length}`;
  const add = (source: string, flags: string, node: { start: number }) => {
    const id = `/${source}/${flags}`;
    const earlier = found.get(id);
    if (earlier === undefined) found.set(id, { source, flags, places: [placeOf(node)] });
    else earlier.places.push(placeOf(node));
  };
  const built = (node: { start: number; callee: Node; arguments: Node[] }) => {
    if (node.callee.type !== "Identifier" || node.callee.name !== "RegExp") return;
    const [source, flags] = node.arguments.map(literal);
    if (source === undefined || (flags === undefined && node.arguments.length > 1)) {
      faults.push(`${placeOf(node)}: an expression that is put together while the program runs cannot be checked`);
    } else add(source, flags ?? "", node);
  };
  new Visitor({
    Literal(node) {
      if ("regex" in node) add(node.regex.pattern, node.regex.flags, node);
    },
    NewExpression: built,
    CallExpression: built,
    Property(node) {
      const source = literal(node.value);
      if (source !== undefined && node.key.type === "Identifier" && node.key.name === "pattern") add(source, "u", node);
    },
  }).visit(program);
}

function literal(node: Node): string | undefined {
  return node.type === "Literal" && typeof node.value === "string" ? node.value : undefined;
}

function digest(id: string): string {
  return createHash("sha256").update(id).digest("base64url");
}

/** The cached results, unless they are from another version of recheck. */
function remembered(): string[] {
  try {
    const { version, safe } = JSON.parse(readFileSync(CACHE, "utf8")) as { version: string; safe: string[] };
    return version === recheckVersion() ? safe : [];
  } catch {
    return [];
  }
}

function remember(safe: ReadonlySet<string>): void {
  mkdirSync(dirname(CACHE), { recursive: true });
  writeFileSync(CACHE, JSON.stringify({ version: recheckVersion(), safe: [...safe] }));
}

function recheckVersion(): string {
  const { version } = JSON.parse(readFileSync(join(ROOT, "node_modules", "recheck", "package.json"), "utf8")) as {
    version: string;
  };
  return version;
}

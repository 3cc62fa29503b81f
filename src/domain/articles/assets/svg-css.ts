/** The rules of an SVG's style sheet by which elements are drawn with others: `fill: url(#pattern)`. */

export interface StyledElement {
  name: string;
  id: string | null;
  classes: readonly string[];
  parent: StyledElement | null;
}

interface Selector {
  /** Each element that the selector may match has one of these keys (`keysOf`). */
  keys: readonly string[];
  matches: (element: StyledElement) => boolean;
}

export interface CssRule extends Selector {
  property: string;
  /** The ids of the elements that the declaration refers to. */
  ids: readonly string[];
}

/** One part of a selector, such as `path.a#b`. `name` null: elements of any name. */
interface Compound {
  name: string | null;
  classes: readonly string[];
  ids: readonly string[];
}

const COMMENT_OR_STRING = /\/\*[^*]*(?:\*(?!\/)[^*]*)*(?:\*\/|$)|"[^"\n]*"|'[^'\n]*'/g;

/** The CSS without comments; null if it cannot be divided into declarations at `{`, `}` and `;`. */
export function toPlainCss(css: string): string | null {
  let isPlain = true;
  const plain = css.replaceAll(COMMENT_OR_STRING, (token) => {
    if (token.startsWith("/*")) return " ";
    isPlain &&= !/[{};]/.test(token);
    return token;
  });
  const rest = plain.replaceAll(/"[^"\n]*"|'[^'\n]*'/g, "");
  return isPlain && !/["']/.test(rest) ? plain : null;
}

/** Yields the rules that refer to elements. `css`: as `toPlainCss` returns it. */
export function* readRules(css: string): Generator<CssRule> {
  const open: Selector[] = [ALL];
  let text = "";
  for (const part of [...css.split(/([{};])/), "}"]) {
    if (part === "{") {
      const selector = text.trim();
      open.push(selector.startsWith("@") ? (open.at(-1) ?? ALL) : readSelector(selector));
    } else if (part === "}" || part === ";") {
      const ids = findReferences(text);
      const property = toProperty(text);
      if (ids.length > 0) yield { ...(open.at(-1) ?? ALL), property, ids };
      if (part === "}") open.pop();
    }
    text = /^[{};]$/.test(part) ? "" : part;
  }
}

const ALL: Selector = { keys: ["*"], matches: () => true };

export function keysOf({ name, id, classes }: StyledElement): string[] {
  return ["*", name, `#${id}`, ...classes.map((one) => `.${one}`)];
}

function readSelector(text: string): Selector {
  // Ignores conditions that only narrow the match. Selectors of key frames match every element, as any can be animated.
  const plain = text
    .replaceAll(/\[[^[\]]*\]/g, "")
    .replaceAll(/\([^()]*\)/g, "")
    .replaceAll(/::?[\w-]+/g, "");
  const selectors = plain.split(",").map((one) => {
    const relative = one.split(/[+~]/).at(-1) ?? "";
    return relative.split(/[\s>]+/).filter((part) => part !== "");
  });
  const compounds = selectors.map((parts) => parts.map(readCompound));
  return {
    keys: compounds.map((parts) => {
      const { name, classes, ids } = parts.at(-1) ?? { name: null, classes: [], ids: [] };
      const [first] = [...classes.map((one) => `.${one}`), ...ids.map((one) => `#${one}`), name ?? "*"];
      return first ?? "*";
    }),
    matches: (element) => compounds.some((parts) => matchesParts(parts, element)),
  };
}

/** Null: a part that is not understood, which counts as matching every element. */
function readCompound(text: string): Compound | null {
  const [whole, name = "", conditions = ""] = /^([\p{L}\p{N}_-]*)((?:[.#][\p{L}\p{N}_-]+)*)$/u.exec(text) ?? [];
  if (whole === undefined || /^(?:from|to)$/.test(name)) return null;
  const all = conditions.match(/[.#][^.#]+/g) ?? [];
  const named = (mark: string) => all.filter((one) => one.startsWith(mark)).map((one) => one.slice(1));
  return { name: name === "" ? null : name, classes: named("."), ids: named("#") };
}

function matchesParts(parts: readonly (Compound | null)[], element: StyledElement): boolean {
  const last = parts.at(-1) ?? null;
  if (!matchesCompound(last, element)) return false;
  return parts.slice(0, -1).every((part) => {
    for (let above = element.parent; above !== null; above = above.parent)
      if (matchesCompound(part, above)) return true;
    return false;
  });
}

function matchesCompound(compound: Compound | null, { name, id, classes }: StyledElement): boolean {
  if (compound === null) return true;
  if (compound.name !== null && compound.name !== name) return false;
  return compound.classes.every((one) => classes.includes(one)) && compound.ids.every((one) => one === id);
}

/** The ids that an attribute draws its element with. `css`: its value, of `style` as from `toPlainCss`. */
export function readReferences(name: string, css: string): [property: string, ids: readonly string[]][] {
  const declarations = name === "style" ? css.split(";") : [`${name}:${css}`];
  return declarations.map((one): [string, string[]] => [toProperty(one), findReferences(one)]);
}

function toProperty(declaration: string): string {
  const colon = declaration.indexOf(":");
  return declaration.slice(0, Math.max(0, colon)).trim().toLowerCase();
}

/** The ids that CSS refers to by `url(#…)`. */
function findReferences(css: string): string[] {
  return [...css.matchAll(/url\(["']?#([^"')]*)/gi)].flatMap(([, id = ""]) => toIds(id.trim()));
}

/** The ids that a fragment may name: browsers also look for it with its percent signs decoded. */
export function toIds(fragment: string): string[] {
  try {
    return [...new Set([fragment, decodeURIComponent(fragment)])];
  } catch {
    return [fragment];
  }
}

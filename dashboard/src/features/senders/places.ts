/**
 * Places in a body, as mappings name them: `data.articles[]`, `meta.title`, `images[0]`. In the form the body itself is `$`,
 * because an empty field means that the place is found automatically.
 */

export type Path = readonly (string | number)[];

const WHOLE = "$";

export function parsePlaces(text: string): string[] {
  return text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")
    .map((one) => (one === WHOLE ? "" : one));
}

export function formatPlaces(places: readonly string[] | undefined): string {
  return (places ?? []).map((one) => (one === "" ? WHOLE : one)).join(", ");
}

/** Whether a place can name the member. */
export function isNameable(name: string): boolean {
  return /^[^.,[\]\s$]+$/.test(name) && !/^(?:header|query):/.test(name);
}

/** `$` for the body itself. `all`: the places of all items of lists that the path leads through. */
export function formatPath(path: Path, { all = false }: { all?: boolean } = {}): string {
  let place = "";
  for (const step of path) {
    if (typeof step === "number") place += all ? "[]" : `[${step}]`;
    else place += place === "" ? step : `.${step}`;
  }
  return place === "" ? WHOLE : place;
}

/** The place of articles at the path: an article in a list stands for all of the list, and so does the list itself. */
export function toArticlesPlace(body: unknown, path: Path): string {
  const place = formatPath(path, { all: true });
  return Array.isArray(resolve(body, path)) ? `${place === WHOLE ? "" : place}[]` : place;
}

/** The path as a place of a field: within the articles, or in the body around a single one; undefined: neither. */
export function toFieldPlace(path: Path, articles: string): string | undefined {
  const start = parsePath(articles);
  const isWithin = start.every((step, at) => step === path[at] || (step === "[]" && typeof path[at] === "number"));
  if (isWithin && path.length > start.length) return formatPath(path.slice(start.length));
  return start.includes("[]") ? undefined : formatPath(path);
}

function parsePath(place: string): (string | number)[] {
  if (place === WHOLE || place === "") return [];
  return [...place.matchAll(/[^.[\]]+|\[\d*\]/g)].map(([step]) =>
    step === "[]" || !step.startsWith("[") ? step : Number(step.slice(1, -1)),
  );
}

function resolve(value: unknown, path: Path): unknown {
  let found = value;
  for (const step of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, step)) return undefined;
    found = (found as Record<string | number, unknown>)[step];
  }
  return found;
}

/** Where the article is, by the places of its title and text in the body; undefined: neither is known. */
export function findArticlesPlace(found: readonly { field: string; place: string }[]): string | undefined {
  const own = found.filter(({ field, place }) => MAIN.has(field) && !/^(?:header|query):/.test(place));
  const [first, ...others] = own.map(({ place }) => place.split(".").slice(0, -1));
  if (first === undefined) return undefined;
  const shared = first.filter(
    (step, at) =>
      others.every((steps) => steps.slice(0, at + 1).join(".") === first.slice(0, at + 1).join(".")) && step !== "",
  );
  return shared.length === 0 ? WHOLE : shared.join(".");
}

const MAIN = new Set(["title", "html", "markdown", "content"]);

/** The place in the body as it is within the articles, if it is. */
export function shortenPlace(place: string, articles: string | undefined): string {
  return articles !== undefined && place.startsWith(`${articles}.`) ? place.slice(articles.length + 1) : place;
}

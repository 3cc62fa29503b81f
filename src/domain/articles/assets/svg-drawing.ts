/**
 * Counts the elements that a browser would draw of an SVG. A few lines of copies, patterns, masks or markers that
 * contain each other could draw billions. The count may be too high, never too low: a style sheet's rule counts for
 * every element that it may match, the paint of a group for everything in the group, and a number for a vertex.
 */
import { type CssRule, keysOf, type StyledElement } from "./svg-css.ts";

const MAX_DRAWN = 200_000;
/** Limits elements within elements, and references to elements that refer to others. */
const MAX_DEPTH = 2_000;
/** Inherited properties: they also paint everything within the element. */
const PAINTS = /^(?:fill|stroke|marker)/;
/** Drawn at every vertex; the other markers at the first or the last. */
const VERTEX_MARKERS = /^marker(?:-mid)?#/;
/** Elements that are drawn only where something refers to them. */
const DEFINITIONS: ReadonlySet<string> = new Set(
  "defs symbol pattern mask clipPath marker filter linearGradient radialGradient style title desc metadata".split(" "),
);
const LINES: ReadonlySet<string> = new Set(["path", "line", "polyline", "polygon"]);
const GRADIENTS: ReadonlySet<string> = new Set(["linearGradient", "radialGradient"]);

export interface SvgElement extends StyledElement {
  parent: SvgElement | null;
  children: SvgElement[];
  /** The ids that it draws copies of. */
  copies: readonly string[];
  /** At most as many vertices has its line; of an animation, the lines that it draws. */
  vertices: number;
  /** The ids of patterns, masks and the like that the element is drawn with, by property. */
  drawnWith: [property: string, ids: readonly string[]][];
}

interface Cost {
  drawn: number;
  /** How many of the drawn elements inherit the paint of a copy, and how many vertices they have. */
  painted: number;
  vertices: number;
}

/** Says why the SVG must not be drawn; null if it may be. */
export function findExcess(elements: readonly SvgElement[], rules: readonly CssRule[]): string | null {
  const byKey = new Map<string, CssRule[]>();
  for (const rule of rules) {
    for (const key of new Set(rule.keys)) byKey.set(key, [...(byKey.get(key) ?? []), rule]);
  }
  for (const element of elements) {
    for (const rule of new Set(keysOf(element).flatMap((key) => byKey.get(key) ?? []))) {
      if (rule.matches(element)) element.drawnWith.push([rule.property, rule.ids]);
    }
  }
  const [root] = elements;
  try {
    if (root !== undefined) new Counter(elements).count(root, 0);
    return null;
  } catch (error) {
    if (error instanceof Excess) return error.message;
    throw error;
  }
}

class Excess extends Error {}

class Counter {
  readonly #byId = new Map<string, SvgElement>();
  readonly #costs = new Map<SvgElement, Cost | "counting">();
  readonly #paints = new Map<SvgElement, ReadonlySet<string>>();
  /** Any line may be animated. */
  #animatedVertices = 0;

  constructor(elements: readonly SvgElement[]) {
    for (const element of elements) {
      // A reference finds the first element with the id.
      if (element.id !== null && !this.#byId.has(element.id)) this.#byId.set(element.id, element);
      if (element.name.startsWith("animate")) this.#animatedVertices += element.vertices;
    }
  }

  count(element: SvgElement, depth: number): Cost {
    const known = this.#costs.get(element);
    if (known === "counting") throw new Excess("its copies contain themselves");
    if (known !== undefined) return known;
    if (depth > MAX_DEPTH) throw new Excess("its elements are nested too deep");
    this.#costs.set(element, "counting");
    const vertices = LINES.has(element.name) ? element.vertices + this.#animatedVertices : 0;
    const cost = { drawn: 1, painted: 1, vertices };
    const costOf = (id: string) => this.#costOf(id, depth);
    /** Elements drawn for each painted element and at each vertex; `marked`: painted elements of markers among them. */
    const perElement = { drawn: 0, marked: 0 };
    const perVertex = { drawn: 0, marked: 0 };
    for (const key of this.#paintsOf(element)) {
      const { drawn, painted } = costOf(key.slice(key.indexOf("#") + 1));
      const paint = VERTEX_MARKERS.test(key) ? perVertex : perElement;
      paint.drawn += drawn;
      if (key.startsWith("marker")) paint.marked += painted;
    }
    const paint = (of: Pick<Cost, "painted" | "vertices">) => {
      // A marker's elements may be painted as its line is.
      const marked = of.painted * perElement.marked + of.vertices * perVertex.marked;
      return of.painted * perElement.drawn + of.vertices * perVertex.drawn + marked * perElement.drawn;
    };
    cost.drawn += paint(cost);
    for (const [property, ids] of element.drawnWith) {
      if (!PAINTS.test(property)) for (const id of ids) cost.drawn += costOf(id).drawn;
    }
    for (const id of element.copies) {
      // A copy of itself draws nothing.
      if (this.#byId.get(id) === element) continue;
      const copy = costOf(id);
      cost.drawn += copy.drawn + paint(copy);
      cost.painted += copy.painted;
      cost.vertices += copy.vertices;
    }
    for (const child of element.children) {
      if (DEFINITIONS.has(child.name)) continue;
      const own = this.count(child, depth + 1);
      cost.drawn += own.drawn;
      cost.painted += own.painted;
      cost.vertices += own.vertices;
    }
    if (cost.drawn > MAX_DRAWN) throw new Excess("it draws too many elements");
    this.#costs.set(element, cost);
    return cost;
  }

  #costOf(id: string, depth: number): Cost {
    const element = this.#byId.get(id);
    return element === undefined || GRADIENTS.has(element.name) ? NOTHING : this.count(element, depth + 1);
  }

  /** The paints of the element and of those around it, as `property#id`. */
  #paintsOf(element: SvgElement): ReadonlySet<string> {
    const known = this.#paints.get(element);
    if (known !== undefined) return known;
    const inherited = element.parent === null ? NO_PAINTS : this.#paintsOf(element.parent);
    const own = element.drawnWith.flatMap(([property, ids]) =>
      PAINTS.test(property) ? ids.map((id) => `${property}#${id}`) : [],
    );
    const all = own.length === 0 ? inherited : new Set([...inherited, ...own]);
    this.#paints.set(element, all);
    return all;
  }
}

const NOTHING: Cost = { drawn: 0, painted: 0, vertices: 0 };
const NO_PAINTS: ReadonlySet<string> = new Set();

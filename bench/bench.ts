import type { Place } from "./place.ts";
import type { Section } from "./report.ts";
import type { Seeded } from "./seed.ts";

export interface BenchContext {
  /** An empty one; it is removed at the end. */
  place: (name: string) => Promise<Place>;
  /** The database of 10,000 articles that the measurements share; none of them changes it. */
  articles: () => Promise<Seeded>;
}

export type Bench = (context: BenchContext) => Promise<Section>;

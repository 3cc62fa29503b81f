import type { Place } from "./place.ts";
import type { Section } from "./report.ts";
import type { Seeded } from "./seed.ts";

export interface BenchContext {
  /** Creates an empty place, which is removed at the end. */
  place: (name: string) => Promise<Place>;
  /** The shared database of 10,000 articles; no measurement may change it. */
  articles: () => Promise<Seeded>;
}

export type Bench = (context: BenchContext) => Promise<Section>;

import type { Section } from "./report.ts";
import type { Seeded } from "./seed.ts";

export interface BenchContext {
  /** A new folder that is removed at the end. */
  folder: (name: string) => string;
  /** The database of 10,000 articles that the measurements share; none of them changes it. */
  articles: () => Promise<Seeded>;
}

export type Bench = (context: BenchContext) => Promise<Section>;

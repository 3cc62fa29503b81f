/** Near duplicates of an article within its website (docs/quality-metrics.md, "Near duplicates"). */
import { isMachineWritten } from "../../../domain/articles/article.ts";
import type { Finding } from "../../../domain/articles/findings.ts";
import { similarity } from "../../../domain/articles/content/measure/fingerprint.ts";
import { labelKey } from "../../../domain/system/collation.ts";
import type { Website } from "../../../domain/system/website.ts";
import { findFingerprint, listNear, type Near } from "../../../store/articles/quality/fingerprints.ts";
import type { Snapshot, StoredFull } from "../../../store/store.ts";

export interface Alike {
  id: string;
  title: string;
  /** BCP 47; null: the website's own. */
  language: string | null;
  /** Percentage of what the two texts have in common. */
  share: number;
  /** Whether the article must not be published beside it. */
  blocks: boolean;
}

const MIN_SIMILARITY = 0.5;
/** From here on the texts are the same but for details. */
const SAME = 0.8;
const MAX_ALIKE = 10;

/** The most similar first. @param fingerprint of a text that is not saved (DerivedContent); absent: of the saved one. */
export async function listAlike(
  db: Snapshot,
  website: Pick<Website, "seriesLabels" | "language">,
  { article, body }: StoredFull,
  fingerprint?: string | null,
): Promise<Alike[]> {
  const own = fingerprint === undefined ? await findFingerprint(db, article.rowNo) : fingerprint;
  if (own == null) return [];
  const series = findSeries(website, [...article.categories, ...article.tags]);
  const isOfSeries = ({ categories, tags }: Near) =>
    series.size > 0 && !findSeries(website, [...parseLabels(categories), ...parseLabels(tags)]).isDisjointFrom(series);
  const near = (await listNear(db, article, own))
    .map((other) => ({ other, shared: similarity(own, other.minhash) }))
    .filter(({ other, shared }) => shared >= MIN_SIMILARITY && !isOfSeries(other))
    .toSorted((one, two) => two.shared - one.shared || (one.other.id < two.other.id ? -1 : 1))
    .slice(0, MAX_ALIKE);
  const isByMachine = isMachineWritten(article.origin, body.suppliedSteps);
  const spoken = toSpoken(article.language ?? website.language);
  return near.map(({ other, shared }) => {
    const isOtherLanguage = isDifferent(spoken, toSpoken(other.language ?? website.language));
    return {
      id: other.id,
      title: other.title,
      language: other.language,
      share: Math.round(shared * 100),
      blocks: shared >= SAME && (isByMachine || isOtherLanguage),
    };
  });
}

/** What the gate says of an article that blocks; it has no place in the text. */
export function toFinding({ title, share }: Alike): Finding {
  const message = `It is ${share} % like “${title}”.`;
  return {
    kind: "near_duplicate",
    severity: "block",
    field: "text",
    block: null,
    start: 0,
    end: 0,
    quote: "",
    message,
  };
}

function findSeries({ seriesLabels }: Pick<Website, "seriesLabels">, labels: readonly string[]): Set<string> {
  return new Set(seriesLabels.map(labelKey)).intersection(new Set(labels.map(labelKey)));
}

function parseLabels(json: string): string[] {
  return JSON.parse(json) as string[];
}

/** Without region or script: en-GB and en-US may well share a text. */
function toSpoken(language: string | null): string | null {
  return language?.split("-", 1)[0] ?? null;
}

function isDifferent(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && one !== other;
}

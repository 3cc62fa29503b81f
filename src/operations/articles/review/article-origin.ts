import type { ArticleOrigin } from "../../../domain/articles/article.ts";
import { toExternalId } from "../../../domain/articles/origin.ts";
import type { Millis } from "../../../domain/system/time.ts";
import { findArticleOrigin } from "../../../store/articles/articles.ts";
import { findExternalSource } from "../../../store/articles/state-lists.ts";
import type { StoredFull } from "../../../store/store.ts";
import { findFirstEntry, findPerson, type Person } from "../../../store/system/audit.ts";
import type { Deps } from "../../system/deps.ts";

/** How an article came in. */
export interface OriginFacts {
  kind: ArticleOrigin;
  /** Whoever or whatever brought it; null: its entry in the audit log is past its retention time. */
  person: Person | null;
  at: Millis;
  /** The file or address that it was in. */
  source: string | null;
  /** What a client calls it. */
  externalId: string | null;
}

export function findOriginOf(deps: Pick<Deps, "store">, { article, body }: StoredFull): Promise<OriginFacts> {
  const step = body.steps.find(({ name }) => name === "import");
  return deps.store.read(async (db) => {
    const kind = (await findArticleOrigin(db, article.rowNo)) ?? "written";
    const created = step === undefined ? await findFirstEntry(db, article.id, "article.created") : undefined;
    const actor = step?.actor ?? created?.actor ?? null;
    const source = step?.metadata["source"];
    return {
      kind,
      person: actor === null ? null : await findPerson(db, actor),
      at: step?.completed_at == null ? (created?.at ?? article.createdAt) : Date.parse(step.completed_at),
      source: typeof source === "string" && kind !== "api" ? source : null,
      externalId: kind === "api" ? toExternalId(await findExternalSource(db, article.rowNo)) : null,
    };
  });
}

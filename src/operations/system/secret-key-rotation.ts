/** Replaces the key that seals secrets. Services with both keys open texts of either, so they keep running. */
import type { Origin } from "../../domain/system/audit.ts";
import type { SecretBox } from "../../domain/system/secret-box.ts";
import {
  listSealedTexts,
  replaceSealedText,
  SEALED_KINDS,
  type SealedKind,
  type SealedText,
} from "../../store/system/sealed-texts.ts";
import type { Deps } from "./deps.ts";
import { recordAudit } from "./audit.ts";
import { opens } from "./secret-check.ts";

export interface SecretKeys {
  /** null if there is none yet. */
  current: SecretBox | null;
  /** null if none is set. */
  previous: SecretBox | null;
}

/** Numbers of sealed texts by the key that opens them; `closed`: neither does. */
export type SealedCounts = Record<"current" | "previous" | "closed", number>;

const BATCH_SIZE = 100;
const ROTATED = { action: "secret_key.rotated", targetKind: "secret_key", targetId: "secret-key" } as const;

export function countSealedTexts({ store }: Pick<Deps, "store">, keys: SecretKeys): Promise<SealedCounts> {
  return sumBatches(keys, (kind, afterId) => store.read((db) => listSealedTexts(db, kind, afterId, BATCH_SIZE)));
}

/** Reseals 100 texts a transaction; can stop and resume. @returns the numbers before: `previous` were resealed. */
export function resealTexts(
  deps: Pick<Deps, "store" | "newId" | "clock">,
  keys: SecretKeys & { current: SecretBox },
  origin: Origin,
  onBatch: () => void = () => undefined,
): Promise<SealedCounts> {
  const { current, previous } = keys;
  let isNoted = false;
  return sumBatches(keys, async (kind, afterId) => {
    const batch = await deps.store.write(
      async (db) => {
        const texts = await listSealedTexts(db, kind, afterId, BATCH_SIZE);
        const old = previous === null ? [] : texts.filter((text) => findKey(keys, text) === "previous");
        for (const text of old) {
          const plain = previous?.open(text.sealed, text.context) ?? "";
          await replaceSealedText(db, kind, text, current.seal(plain, text.context));
        }
        if (old.length > 0 && !isNoted) await recordAudit(db, deps, origin, ROTATED);
        return { texts, hasResealed: old.length > 0 };
      },
      { notify: false },
    );
    // Set only after the commit: the transaction may be retried.
    isNoted ||= batch.hasResealed;
    onBatch();
    return batch.texts;
  });
}

async function sumBatches(
  keys: SecretKeys,
  nextBatch: (kind: SealedKind, afterId: string) => Promise<SealedText[]>,
): Promise<SealedCounts> {
  const counts: SealedCounts = { current: 0, previous: 0, closed: 0 };
  for (const kind of SEALED_KINDS) {
    let afterId: string | undefined = "";
    while (afterId !== undefined) {
      const batch: SealedText[] = await nextBatch(kind, afterId);
      for (const text of batch) counts[findKey(keys, text)]++;
      afterId = batch.length < BATCH_SIZE ? undefined : batch.at(-1)?.id;
    }
  }
  return counts;
}

function findKey({ current, previous }: SecretKeys, { sealed, context }: SealedText): keyof SealedCounts {
  if (opens(current, sealed, context)) return "current";
  return opens(previous, sealed, context) ? "previous" : "closed";
}

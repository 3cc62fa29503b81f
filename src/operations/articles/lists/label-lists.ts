/** A website's labels, offered as choices. Counting them reads every article, so the lists are cached. */
import { LRUCache } from "lru-cache";
import type { Millis } from "../../../domain/system/time.ts";
import { frequentLabels } from "../../../store/articles/article-lists.ts";
import type { ReadModel } from "../read-model/read-model.ts";
import type { Deps } from "../../system/deps.ts";

const MAX_LABELS = 200;
const MAX_WEBSITES = 100;
/** How long a list is reused while the website keeps changing. A newer label can still be searched for. */
const GOOD_FOR_MS = 30_000;

export interface Labels {
  /** Most frequent first. */
  categories: string[];
  tags: string[];
}

export class LabelLists {
  readonly #readModel: ReadModel;
  readonly #clock: Deps["clock"];
  readonly #cached = new LRUCache<string, { state: string; countedAt: Millis; labels: Labels }>({ max: MAX_WEBSITES });

  constructor(readModel: ReadModel, clock: Deps["clock"]) {
    this.#readModel = readModel;
    this.#clock = clock;
  }

  /** At most half a minute old. @throws AppError `not_found` when the website does not exist. */
  of(websiteId: string): Promise<Labels> {
    return this.#readModel.read(websiteId, async ({ db, view: { epoch, contentVersion } }) => {
      const state = `${epoch} ${contentVersion}`;
      const now = this.#clock();
      const kept = this.#cached.get(websiteId);
      if (kept !== undefined && (kept.state === state || now - kept.countedAt < GOOD_FOR_MS)) return kept.labels;
      const labels = {
        categories: await frequentLabels(db, websiteId, "category", MAX_LABELS),
        tags: await frequentLabels(db, websiteId, "tag", MAX_LABELS),
      };
      this.#cached.set(websiteId, { state, countedAt: now, labels });
      return labels;
    });
  }
}

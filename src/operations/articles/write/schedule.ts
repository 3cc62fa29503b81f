/** Publishes scheduled articles, by queries when the next one may be due, and after commits. */
import type { Millis } from "../../../domain/system/time.ts";
import { SCHEDULE_ORIGIN } from "../../../domain/system/audit.ts";
import { findArticle, findNextDue, listDue } from "../../../store/articles/articles.ts";
import type { ChangeFeed, Snapshot, Store, StoredArticle, Writer } from "../../../store/store.ts";
import { recordAudit } from "../../system/audit.ts";
import type { Actor } from "../../system/deps.ts";
import { type OnError, catchFailure, describeReason, setAside } from "../../system/set-aside.ts";
import type { TransitionDeps } from "./transition.ts";

const SCHEDULER: Actor = { id: "schedule", mayApprove: false };
const AT_ONCE = 100;
/** Maximum interval between queries. Due articles that could not be published are checked again, too. */
const ASK_EVERY_MS = 10_000;
const TRY_AGAIN_AFTER_MS = 1_000;

interface ScheduleDeps extends TransitionDeps {
  store: Store & Pick<ChangeFeed, "isLeader" | "commitCounter">;
}

export class Schedule {
  readonly #deps: ScheduleDeps;
  readonly #onError: OnError | undefined;
  readonly #onPublished: ((lateMs: number) => void) | undefined;
  /** The commit counter at the last query; NaN forces one. */
  #seenCommits = Number.NaN;
  #nextAt: Millis = 0;

  /** `onPublished` gets the delay of each article in milliseconds. */
  constructor(deps: ScheduleDeps, onError?: OnError, onPublished?: (lateMs: number) => void) {
    this.#deps = deps;
    this.#onError = onError;
    this.#onPublished = onPublished;
  }

  /** Publishes due articles if this process is the leader. Call it several times a second. @returns how many. */
  async publish(): Promise<number> {
    const { store, clock } = this.#deps;
    if (!store.isLeader()) {
      this.#seenCommits = Number.NaN;
      return 0;
    }
    const commitCounter = store.commitCounter();
    if (commitCounter === this.#seenCommits && clock() < this.#nextAt) return 0;
    let nextAt = await store.read(findNextDue);
    const isDue = nextAt !== null && nextAt <= clock();
    const published = isDue ? await publishDueArticles(this.#deps, AT_ONCE, this.#onError, this.#onPublished) : 0;
    // More articles may be due than are published at once.
    if (published > 0) nextAt = clock();
    else if (isDue) nextAt = clock() + TRY_AGAIN_AFTER_MS;
    this.#nextAt = Math.min(nextAt ?? Number.POSITIVE_INFINITY, clock() + ASK_EVERY_MS);
    this.#seenCommits = commitCounter;
    return published;
  }
}

/** Each in its own transaction; one that cannot be is set aside until it changes. @returns how many were published. */
export async function publishDueArticles(
  deps: TransitionDeps,
  limit: number,
  onError?: OnError,
  onPublished?: (lateMs: number) => void,
): Promise<number> {
  const due = await deps.store.read((db) => listDue(db, deps.clock(), limit));
  let published = 0;
  // What publishes is loaded with the first article that is due: a service that only serves reads saves it.
  const { publishDue } = await import("./articles.ts");
  for (const article of due) {
    await catchFailure(
      async () => {
        await publishDue(deps, article.id, SCHEDULER);
        onPublished?.(deps.clock() - (article.publishAt ?? deps.clock()));
        published++;
      },
      (error) => setAsideDue(deps, article, error, onError),
    );
  }
  return published;
}

/** Does nothing if the article is no longer due: another process was faster, or its schedule has changed. */
async function setAsideDue(
  deps: TransitionDeps,
  { id, websiteId, title }: StoredArticle,
  error: unknown,
  onError: OnError | undefined,
): Promise<void> {
  const isDue = async (db: Snapshot) => {
    const now = await findArticle(db, websiteId, id);
    return now?.status === "approved" && now.deletedAt === null && (now.publishAt ?? Infinity) <= deps.clock();
  };
  if (!(await deps.store.read(isDue))) return;
  const what = { kind: "article", subjectId: id, websiteId, error } as const;
  const reason = describeReason(error);
  const { notifyOfFailedPublication } = await import("./article-notes.ts");
  const saveNote = async (db: Writer) => {
    await recordAudit(db, deps, SCHEDULE_ORIGIN, {
      action: "article.not_published",
      targetKind: "article",
      targetId: id,
      websiteId,
      detail: { title, reason },
    });
    await notifyOfFailedPublication(db, deps, { id, websiteId }, reason);
  };
  await setAside(
    deps,
    what,
    `the scheduled article ${id} could not be published; it waits until it is changed`,
    onError,
    saveNote,
  );
}

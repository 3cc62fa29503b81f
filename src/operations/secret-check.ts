import type { SecretBox } from "../domain/secret-box.ts";
import { AppError } from "../domain/errors.ts";
import { listEndpoints, liveSecrets } from "../store/endpoints.ts";
import { listWebsites } from "../store/websites.ts";
import type { Deps } from "./deps.ts";

export interface SecretCheck {
  /** Webhooks whose signing secret the key opens. */
  opened: number;
  /** Webhooks that cannot be sent to: the key is missing, or is not the one that closed their secret. */
  closed: number;
}

/** Whether the key at hand opens the signing secrets of all webhooks. `box`: null when there is no key. */
export function checkSecrets(deps: Pick<Deps, "store" | "clock">, box: SecretBox | null): Promise<SecretCheck> {
  return deps.store.read(async (db) => {
    const check: SecretCheck = { opened: 0, closed: 0 };
    for (const website of await listWebsites(db)) {
      const ids = (await listEndpoints(db, website.id)).map(({ id }) => id);
      for (const [id, secrets] of await liveSecrets(db, ids, deps.clock())) {
        const areOpened = secrets.every(({ sealed }) => box !== null && opens(box, sealed, id));
        check[areOpened ? "opened" : "closed"]++;
      }
    }
    return check;
  });
}

function opens(box: SecretBox, sealed: string, context: string): boolean {
  try {
    box.open(sealed, context);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

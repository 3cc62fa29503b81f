import type { Origin } from "../../domain/system/audit.ts";
import { AppError } from "../../domain/system/errors.ts";
import { DAY_MS } from "../../domain/system/time.ts";
import { listInvitations } from "../../store/system/audit.ts";
import type { Snapshot } from "../../store/store.ts";
import type { Deps } from "../system/deps.ts";

/** Per day, inviter and website: each invitation may be an unwanted email. */
const MAX_INVITATIONS = 50;
/** How many of these may go to the same address. */
const MAX_TO_ONE_ADDRESS = 5;

/**
 * Limits invitations, including repeated ones. Commands have no limit.
 *
 * @throws AppError `too_many`.
 */
export async function assertMayInvite(
  db: Snapshot,
  deps: Pick<Deps, "clock">,
  { actor }: Origin,
  websiteId: string | null,
  email: string,
): Promise<void> {
  if (actor === "cli") return;
  const since = deps.clock() - DAY_MS;
  const invited = await listInvitations(db, { actor, websiteId, since, limit: MAX_INVITATIONS });
  if (invited.length >= MAX_INVITATIONS) {
    throw new AppError("too_many", `You have sent ${MAX_INVITATIONS} invitations within a day; try again tomorrow.`);
  }
  if (invited.filter((one) => one === email).length >= MAX_TO_ONE_ADDRESS) {
    throw new AppError(
      "too_many",
      `${email} was invited ${MAX_TO_ONE_ADDRESS} times within a day; try again tomorrow.`,
    );
  }
}

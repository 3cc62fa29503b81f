import type { Origin } from "../../domain/system/audit.ts";
import { AppError } from "../../domain/system/errors.ts";
import { DAY_MS } from "../../domain/system/time.ts";
import { listInvitations } from "../../store/system/audit.ts";
import type { Snapshot } from "../../store/store.ts";
import type { Deps } from "../system/deps.ts";

/** Invitations a day of one person, and to one website: each may be an unwanted e-mail. */
const MAX_INVITATIONS = 20;
/** Invitations a day of one person to the same address. */
const MAX_TO_ONE_ADDRESS = 5;

const ADVICE = "try again tomorrow, or ask the operator, whose commands have no limit.";

/** Limits new and repeated invitations, but not by commands. @throws AppError `too_many`. */
export async function assertMayInvite(
  db: Snapshot,
  deps: Pick<Deps, "clock">,
  { actor }: Origin,
  websiteId: string | null,
  email: string,
): Promise<void> {
  if (actor === "cli") return;
  const since = deps.clock() - DAY_MS;
  const limits = { since, limit: MAX_INVITATIONS };
  const invited = await listInvitations(db, { actor, ...limits });
  if (invited.length >= MAX_INVITATIONS) {
    throw new AppError("too_many", `You have sent ${MAX_INVITATIONS} invitations within a day; ${ADVICE}`);
  }
  if (websiteId !== null && (await listInvitations(db, { websiteId, ...limits })).length >= MAX_INVITATIONS) {
    throw new AppError("too_many", `${MAX_INVITATIONS} people were invited to this website within a day; ${ADVICE}`);
  }
  if (invited.filter((one) => one === email).length >= MAX_TO_ONE_ADDRESS) {
    throw new AppError(
      "too_many",
      `${email} was invited ${MAX_TO_ONE_ADDRESS} times within a day; try again tomorrow.`,
    );
  }
}

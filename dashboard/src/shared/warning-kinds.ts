import type { WARNING_KINDS as ServerKinds } from "../../../src/domain/articles/warnings.ts";

/** The server's words: the type has them, too. */
export const WARNING_KINDS: typeof ServerKinds = {
  words_lost: "Words lost",
  source_markup: "Source markup left as text",
  construct_replaced: "Site-specific elements replaced by their text",
  finding_blocks: "Findings that block",
  element_removed: "Elements removed",
  embed_replaced: "Embeds replaced by a link",
  picture_missing: "Pictures that lead nowhere",
  link_dead: "Links that lead nowhere",
  anchor_dead: "Links to a missing section",
  date_guessed: "Dates guessed",
  state_guessed: "Statuses guessed",
  address_guessed: "Addresses guessed",
  metadata_guessed: "Front matter and labels guessed",
};

/** One line for a warning of a pipeline step; empty if the value is no warning. */
export function describeWarning(warning: unknown): string[] {
  const { kind, detail } = Object(warning) as Record<string, unknown>;
  return typeof kind === "string" && Object.hasOwn(WARNING_KINDS, kind)
    ? [`${WARNING_KINDS[kind as keyof typeof WARNING_KINDS]}: ${String(detail)}`]
    : [];
}

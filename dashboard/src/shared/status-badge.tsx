/** Shows a state by colour, icon and word, so that colour is not needed. */
import IconAlertOctagon from "@tabler/icons-react/dist/esm/icons/IconAlertOctagon.mjs";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import IconArchive from "@tabler/icons-react/dist/esm/icons/IconArchive.mjs";
import IconBan from "@tabler/icons-react/dist/esm/icons/IconBan.mjs";
import IconCheck from "@tabler/icons-react/dist/esm/icons/IconCheck.mjs";
import IconCircleCheck from "@tabler/icons-react/dist/esm/icons/IconCircleCheck.mjs";
import IconClock from "@tabler/icons-react/dist/esm/icons/IconClock.mjs";
import IconEye from "@tabler/icons-react/dist/esm/icons/IconEye.mjs";
import IconMail from "@tabler/icons-react/dist/esm/icons/IconMail.mjs";
import IconMessage from "@tabler/icons-react/dist/esm/icons/IconMessage.mjs";
import IconPencil from "@tabler/icons-react/dist/esm/icons/IconPencil.mjs";
import IconPlayerPause from "@tabler/icons-react/dist/esm/icons/IconPlayerPause.mjs";
import IconPlayerSkipForward from "@tabler/icons-react/dist/esm/icons/IconPlayerSkipForward.mjs";
import IconStack2 from "@tabler/icons-react/dist/esm/icons/IconStack2.mjs";
import IconTrash from "@tabler/icons-react/dist/esm/icons/IconTrash.mjs";
import IconWorld from "@tabler/icons-react/dist/esm/icons/IconWorld.mjs";
import IconX from "@tabler/icons-react/dist/esm/icons/IconX.mjs";
import type { ComponentType, ReactNode } from "react";
import type { ArticleListItem } from "../../../src/http/admin/contract/articles.ts";
import type { ApiKey } from "../../../src/http/admin/contract/api-keys.ts";
import type { Delivery, Webhook } from "../../../src/http/admin/contract/webhooks.ts";
import type { Member } from "../../../src/http/admin/contract/members.ts";
import classes from "./status-badge.module.css";
import { isAhead } from "./time.tsx";

type Tone = "neutral" | "waiting" | "info" | "good" | "bad";

interface Look {
  tone: Tone;
  label: string;
  Icon: ComponentType<{ size?: number | string }>;
}

/** A badge for any other state. `title`: details on hover. */
export function StatusBadge({ tone, label, Icon, title }: Look & { title?: string | undefined }): ReactNode {
  return (
    <span className={classes.root} data-tone={tone} title={title}>
      <Icon size={14} aria-hidden />
      {label}
    </span>
  );
}

const ARTICLE = {
  draft: { tone: "neutral", label: "Draft", Icon: IconPencil },
  in_review: { tone: "waiting", label: "In review", Icon: IconEye },
  resubmitted: { tone: "waiting", label: "Resubmitted", Icon: IconEye },
  changes_requested: { tone: "neutral", label: "Changes requested", Icon: IconMessage },
  approved: { tone: "info", label: "Approved", Icon: IconCheck },
  published: { tone: "good", label: "Published", Icon: IconWorld },
  scheduled: { tone: "info", label: "Scheduled", Icon: IconClock },
  trash: { tone: "neutral", label: "In the trash", Icon: IconTrash },
} as const satisfies Record<string, Look>;

/** For users, review states, “in the trash” and “scheduled” are states, too. */
export function ArticleStatusBadge({
  article,
}: {
  article: Pick<ArticleListItem, "status"> &
    Partial<Pick<ArticleListItem, "publish_at" | "deleted_at" | "review_state" | "is_resubmitted">>;
}): ReactNode {
  return <StatusBadge {...ARTICLE[getState(article)]} />;
}

function getState(article: Parameters<typeof ArticleStatusBadge>[0]["article"]): keyof typeof ARTICLE {
  if (article.deleted_at != null) return "trash";
  if (article.status === "pending") {
    return article.is_resubmitted === true ? "resubmitted" : (article.review_state ?? "in_review");
  }
  return article.status === "approved" && article.publish_at != null ? "scheduled" : article.status;
}

/** Shown next to the status of a published article. */
export function DraftBadge(): ReactNode {
  return <StatusBadge tone="waiting" label="Draft copy" Icon={IconPencil} />;
}

const BLOCKED = "Something in its text blocks";

/** Marks an article whose text has a finding that blocks. */
export function BlockedMark(): ReactNode {
  return <IconAlertOctagon size={16} className={classes.blocked} role="img" aria-label={BLOCKED} />;
}

/** Marks an article with unresolved comments. */
export function CommentsBadge({ count }: { count: number }): ReactNode {
  return <StatusBadge tone="neutral" label={`${count} ${count === 1 ? "comment" : "comments"}`} Icon={IconMessage} />;
}

const KEY = {
  active: { tone: "good", label: "Active", Icon: IconCircleCheck },
  expired: { tone: "neutral", label: "Expired", Icon: IconClock },
  revoked: { tone: "neutral", label: "Revoked", Icon: IconBan },
} as const satisfies Record<ApiKey["state"], Look>;

export function KeyState({ state }: { state: ApiKey["state"] }): ReactNode {
  return <StatusBadge {...KEY[state]} />;
}

const WEBHOOK = {
  enabled: { tone: "good", label: "Enabled", Icon: IconCircleCheck },
  warned: { tone: "waiting", label: "Failing", Icon: IconAlertTriangle },
  paused: { tone: "neutral", label: "Paused", Icon: IconPlayerPause },
  disabled: { tone: "bad", label: "Disabled", Icon: IconBan },
} as const satisfies Record<Webhook["state"] | "warned", Look>;

type WebhookHealth = Pick<
  Webhook,
  "state" | "warning" | "consecutive_failures" | "last_failure_at" | "last_success_at" | "next_attempt_at"
>;

export function WebhookState({ webhook }: { webhook: WebhookHealth }): ReactNode {
  const { last_failure_at, last_success_at, next_attempt_at } = webhook;
  const hasFailedLast = last_failure_at !== null && (last_success_at === null || last_failure_at > last_success_at);
  const isFailing =
    webhook.warning !== null || webhook.consecutive_failures > 0 || (hasFailedLast && isAhead(next_attempt_at));
  const state = webhook.state === "enabled" && isFailing ? "warned" : webhook.state;
  return <StatusBadge {...WEBHOOK[state]} title={webhook.warning ?? undefined} />;
}

const DELIVERY = {
  pending: { tone: "waiting", label: "Waiting", Icon: IconClock },
  delivered: { tone: "good", label: "Delivered", Icon: IconCircleCheck },
  exhausted: { tone: "bad", label: "Exhausted", Icon: IconX },
  parked: { tone: "neutral", label: "Parked", Icon: IconArchive },
  coalesced: { tone: "neutral", label: "Coalesced", Icon: IconStack2 },
  skipped: { tone: "neutral", label: "Skipped", Icon: IconPlayerSkipForward },
} as const satisfies Record<Delivery["state"], Look>;

export function DeliveryStateBadge({ state }: { state: Delivery["state"] }): ReactNode {
  return <StatusBadge {...DELIVERY[state]} />;
}

const MEMBER = {
  active: { tone: "good", label: "Active", Icon: IconCircleCheck },
  invited: { tone: "waiting", label: "Invited", Icon: IconMail },
  disabled: { tone: "neutral", label: "Disabled", Icon: IconBan },
} as const satisfies Record<Member["state"], Look>;

export function MemberState({ state }: { state: Member["state"] }): ReactNode {
  return <StatusBadge {...MEMBER[state]} />;
}

/** Notices before a decision about the article, with actions to take at once. */
import { Alert, Button, Group, Text } from "@mantine/core";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import IconClock from "@tabler/icons-react/dist/esm/icons/IconClock.mjs";
import IconLock from "@tabler/icons-react/dist/esm/icons/IconLock.mjs";
import IconPencil from "@tabler/icons-react/dist/esm/icons/IconPencil.mjs";
import IconRefresh from "@tabler/icons-react/dist/esm/icons/IconRefresh.mjs";
import IconTrash from "@tabler/icons-react/dist/esm/icons/IconTrash.mjs";
import type { ReactNode } from "react";
import type { ReviewedArticle } from "../../../../src/http/admin/contract/review.ts";
import { useSession, useWebsite } from "../../shared/session.tsx";
import { nameActor } from "../../shared/actors.ts";
import { Time } from "../../shared/time.tsx";
import { describeInZone } from "../../shared/zones.ts";
import { listOffers } from "./decisions/actions.ts";
import { describeHold } from "./findings/gate.ts";
import classes from "./notices.module.css";

interface NoticesProps {
  reviewed: ReviewedArticle;
  /** Another user's change to the text; null if there is none. */
  newer: { change: string; load: () => void } | null;
  draft: { compare: () => void; discard: (() => void) | null };
  compareApproved: () => void;
}

export function Notices({ reviewed, newer, draft, compareApproved }: NoticesProps): ReactNode {
  const { line, approval } = reviewed;
  const isAlive = line.deleted_at === null;
  const { trash_days: trashDays } = useSession();
  const { timeZone: zone } = useWebsite();
  const until = trashDays === null || line.deleted_at === null ? null : daysLater(line.deleted_at, trashDays);
  return (
    <>
      {newer !== null && (
        <Notice tone="amber" icon={<IconRefresh size={18} />}>
          <span>{newer.change} since you opened it. You see the earlier text.</span>
          <Button size="compact-sm" onClick={newer.load}>
            Load the new version
          </Button>
        </Notice>
      )}
      {!isAlive && (
        <Notice tone="gray" icon={<IconTrash size={18} />}>
          <span>
            Moved to trash <Time at={line.deleted_at} />.{line.status === "published" && " Readers no longer see it."}
            {until !== null && (
              <>
                {" "}
                It will be permanently deleted on <Time at={until} exact />.
              </>
            )}
          </span>
        </Notice>
      )}
      {isAlive && line.publish_at !== null && line.status === "approved" && (
        <Notice tone="blue" icon={<IconClock size={18} />}>
          <span>
            Goes live <Time at={line.publish_at} isPlanned /> ({describeInZone(new Date(line.publish_at), zone)}).
          </span>
        </Notice>
      )}
      {isAlive && line.status === "approved" && !approval.is_current && (
        <Notice tone="amber" icon={<IconAlertTriangle size={18} />}>
          <span>
            The text has changed since it was approved, so it cannot be published. Request changes, then approve the new
            text.
          </span>
          <Button size="compact-sm" variant="default" onClick={compareApproved}>
            See what changed
          </Button>
        </Notice>
      )}
      {isAlive && reviewed.draft !== null && (
        <Notice tone="amber" icon={<IconPencil size={18} />}>
          <span>
            There is a draft copy, saved by {nameActor(reviewed.draft.by.id, reviewed.draft.by.name)}{" "}
            <Time at={reviewed.draft.saved_at} />. Readers still see the live version.
          </span>
          <Group gap={6}>
            <Button size="compact-sm" variant="default" onClick={draft.compare}>
              Compare
            </Button>
            {draft.discard !== null && (
              <Button size="compact-sm" variant="default" onClick={draft.discard}>
                Discard
              </Button>
            )}
          </Group>
        </Notice>
      )}
    </>
  );
}

/** Says what holds the approval. */
export function HoldNotice({ reviewed, onShow }: { reviewed: ReviewedArticle; onShow: () => void }): ReactNode {
  const isDecidable = listOffers(reviewed).some(({ isHeld }) => isHeld);
  if (!isDecidable) return null;
  return (
    <Notice tone="red" icon={<IconLock size={18} />}>
      <span>{describeHold(reviewed)}</span>
      <Button size="compact-sm" variant="default" onClick={onShow}>
        Show what was found
      </Button>
    </Notice>
  );
}

export function Notice({ tone, icon, children }: { tone: string; icon: ReactNode; children: ReactNode }): ReactNode {
  return (
    <Alert color={tone} variant="light" icon={icon} className={classes.notice}>
      <Text component="div" size="sm" className={classes.body}>
        {children}
      </Text>
    </Alert>
  );
}

function daysLater(time: string, days: number): string {
  return new Date(Date.parse(time) + days * 86_400_000).toISOString();
}

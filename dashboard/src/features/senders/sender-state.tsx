import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import IconCircleCheck from "@tabler/icons-react/dist/esm/icons/IconCircleCheck.mjs";
import IconClock from "@tabler/icons-react/dist/esm/icons/IconClock.mjs";
import IconMoonStars from "@tabler/icons-react/dist/esm/icons/IconMoonStars.mjs";
import type { ReactNode } from "react";
import type { Sender } from "../../../../src/http/admin/contract/senders.ts";
import { StatusBadge } from "../../shared/status-badge.tsx";
import { Time } from "../../shared/time.tsx";
import { counted } from "./words.ts";

/** As long as its owners are told of silence. */
const SILENT_MS = 14 * 86_400_000;

export function SenderState({ sender }: { sender: Sender }): ReactNode {
  const { last_arrival_at: last, needs_attention: failed } = sender;
  if (failed > 0) return <StatusBadge tone="waiting" label="Needs attention" Icon={IconAlertTriangle} />;
  if (last === null) return <StatusBadge tone="neutral" label="Nothing arrived yet" Icon={IconClock} />;
  if (isLongAgo(last)) {
    return <StatusBadge tone="neutral" label="Silent" Icon={IconMoonStars} />;
  }
  return <StatusBadge tone="good" label="Working" Icon={IconCircleCheck} />;
}

/** Its health in words, for one line of a list. */
export function HealthLine({ sender }: { sender: Sender }): ReactNode {
  const { last_arrival_at: last, needs_attention: failed, waiting } = sender;
  if (last === null) return "Waiting for the first arrival";
  return (
    <>
      {"Last arrival "}
      <Time at={last} />
      {failed > 0 && `, ${counted(failed)} ${failed === 1 ? "needs" : "need"} attention`}
      {waiting > 0 && `, ${counted(waiting)} waiting`}
    </>
  );
}

function isLongAgo(at: string): boolean {
  return Date.parse(at) < Date.now() - SILENT_MS;
}

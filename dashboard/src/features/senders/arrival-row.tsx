import { UnstyledButton } from "@mantine/core";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import IconChevronRight from "@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs";
import IconCircleCheck from "@tabler/icons-react/dist/esm/icons/IconCircleCheck.mjs";
import IconClock from "@tabler/icons-react/dist/esm/icons/IconClock.mjs";
import IconMinus from "@tabler/icons-react/dist/esm/icons/IconMinus.mjs";
import { type ReactNode, useId, useState } from "react";
import type { Arrival, ArrivalState, Sender } from "../../../../src/http/admin/contract/senders.ts";
import { StatusBadge } from "../../shared/status-badge.tsx";
import { Time } from "../../shared/time.tsx";
import classes from "../../shared/unfolding-rows.module.css";
import { ArrivalDetails } from "./arrival-details.tsx";
import { describeOutcome, titleOf } from "./words.ts";

const LOOKS = {
  waiting: { tone: "info", label: "Waiting", Icon: IconClock },
  stored: { tone: "good", label: "Stored", Icon: IconCircleCheck },
  needs_attention: { tone: "waiting", label: "Needs attention", Icon: IconAlertTriangle },
  ignored: { tone: "neutral", label: "Nothing to save", Icon: IconMinus },
} as const satisfies Record<ArrivalState, object>;

export function ArrivalRow({ arrival, sender }: { arrival: Arrival; sender: Sender }): ReactNode {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <li className={classes.item}>
      <UnstyledButton
        className={classes.summary}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <IconChevronRight size={16} className={classes.chevron} aria-hidden />
        <StatusBadge {...LOOKS[arrival.state]} />
        <span className={classes.what}>
          <div className={classes.title}>{titleOf(arrival)}</div>
          <div className={classes.about}>
            {arrival.event !== null && arrival.articles.length > 0 && `${arrival.event} · `}
            {describeOutcome(arrival)}
          </div>
        </span>
        <span className={classes.when}>
          <Time at={arrival.at} bare />
        </span>
      </UnstyledButton>
      <div id={id} className={isOpen ? classes.details : undefined} hidden={!isOpen}>
        {isOpen && <ArrivalDetails arrival={arrival} sender={sender} />}
      </div>
    </li>
  );
}

import { ActionIcon, Group, Text, Tooltip } from "@mantine/core";
import IconChevronLeft from "@tabler/icons-react/dist/esm/icons/IconChevronLeft.mjs";
import IconChevronRight from "@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs";
import { memo, type ReactNode } from "react";
import { KeyHint } from "../../../shared/key-hint.tsx";
import { BackLink, ButtonLink } from "../../../shared/links.tsx";
import { useShortcuts } from "../../../shared/shortcuts.tsx";
import { toPage } from "../../../shared/list-place.ts";
import { useStable } from "../../../shared/use-stable.ts";
import classes from "./queue-bar.module.css";
import type { QueueFilter } from "../search.ts";
import type { ReviewQueue } from "./use-queue.ts";
import { VIEW_NAMES } from "./views.ts";

/** Page size of a list that was not opened before. */
const PAGE_SIZE = 50;

/** The position in the list, with buttons for the previous and next article. */
export function QueueBar({ reviewQueue }: { reviewQueue: ReviewQueue }): ReactNode {
  const { queue, position, go } = reviewQueue;
  const { previousId, nextId } = position;
  const back = () => previousId !== null && go(previousId);
  const on = () => nextId !== null && go(nextId);
  const group = "This list";
  useShortcuts([
    { keys: "j", label: "Next article", group, run: on },
    { keys: "k", label: "Previous article", group, run: back },
    { keys: "ArrowRight", label: "Next article", group, run: on },
    { keys: "ArrowLeft", label: "Previous article", group, run: back },
  ]);
  const steps = useStable({ back, on });
  return (
    <nav className={classes.bar} aria-label="The list">
      <Back
        search={JSON.stringify(toList(reviewQueue))}
        name={`${VIEW_NAMES[queue.view]}${isFiltered(reviewQueue) ? ", filtered" : ""}`}
      />
      <Group gap={4} wrap="nowrap">
        <Text className={classes.number} size="sm" fw={550}>
          {formatProgress(reviewQueue)}
        </Text>
        <Step label="Previous" keys="k" isPossible={previousId !== null} onClick={steps.back} />
        <Step label="Next" keys="j" isPossible={nextId !== null} onClick={steps.on} />
      </Group>
    </nav>
  );
}

/** Says that no article is left. */
export function QueueEnd({ reviewQueue }: { reviewQueue: ReviewQueue }): ReactNode {
  const { position } = reviewQueue;
  if (position.done === null || position.nextId !== null) return null;
  return (
    <Group className={classes.end} gap="xs">
      That was the last one.
      <ButtonLink size="compact-sm" variant="light" to="/articles" search={toList(reviewQueue)} resetScroll={false}>
        Back to the list
      </ButtonLink>
    </Group>
  );
}

/** The list itself scrolls to its last position. */
function toList({ queue, index }: ReviewQueue): QueueFilter & { from?: number; size?: number } {
  return { ...queue, ...toPage(queue, index, PAGE_SIZE) };
}

const Back = memo(function Back({ search, name }: { search: string; name: string }): ReactNode {
  return (
    <BackLink to="/articles" search={JSON.parse(search) as QueueFilter} resetScroll={false}>
      <span className={classes.back}>{name}</span>
    </BackLink>
  );
});

interface StepProps {
  label: "Previous" | "Next";
  keys: string;
  isPossible: boolean;
  onClick: () => void;
}

const Step = memo(function Step({ label, keys, isPossible, onClick }: StepProps): ReactNode {
  const Icon = label === "Next" ? IconChevronRight : IconChevronLeft;
  return (
    <Tooltip label={<Hint text={label} keys={keys} />}>
      <ActionIcon
        variant="default"
        aria-label={`${label} article`}
        aria-keyshortcuts={keys}
        onClick={onClick}
        aria-disabled={!isPossible}
        {...(!isPossible && { "data-disabled": true })}
      >
        <Icon size={17} />
      </ActionIcon>
    </Tooltip>
  );
});

/** “12 of 50”. */
function formatProgress({ position, isKnown }: ReviewQueue): string {
  if (!isKnown && position.number === null) return "…";
  if (position.number === null) return "No longer in this list";
  return `${position.number.toLocaleString("en")} of ${position.total.toLocaleString("en")}`;
}

function isFiltered({ queue }: ReviewQueue): boolean {
  const { view: _view, sort: _sort, ...filters } = queue;
  return Object.values(filters).some((value) => value !== undefined);
}

function Hint({ text, keys }: { text: string; keys: string }): ReactNode {
  return (
    <Group gap={6} wrap="nowrap">
      {text}
      <KeyHint keys={keys} />
    </Group>
  );
}

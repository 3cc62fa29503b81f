import { ActionIcon, Group, Switch, Text, Tooltip } from "@mantine/core";
import IconChevronLeft from "@tabler/icons-react/dist/esm/icons/IconChevronLeft.mjs";
import IconChevronRight from "@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs";
import { memo, type ReactNode } from "react";
import { KeyHint } from "../../../shared/key-hint.tsx";
import { BackLink, ButtonLink, TextLink } from "../../../shared/links.tsx";
import { useShortcuts } from "../../../shared/shortcuts.tsx";
import { toPage } from "../../../shared/list-place.ts";
import { useStable } from "../../../shared/use-stable.ts";
import classes from "./queue-bar.module.css";
import type { QueueFilter } from "../search.ts";
import type { ReviewQueue } from "./use-queue.ts";
import { VIEW_NAMES } from "./views.ts";

/** Page size of a list that was not opened before. */
const PAGE_SIZE = 50;

/** The position in the list, with links to the previous and next article. */
export function QueueBar({ reviewQueue }: { reviewQueue: ReviewQueue }): ReactNode {
  const { queue, position, go, last, autoAdvance, setAutoAdvance } = reviewQueue;
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
  const steps = useStable({ back, on, setAutoAdvance });
  // The list itself scrolls to its last position.
  const list = { ...queue, ...toPage(queue, reviewQueue.index, PAGE_SIZE) };
  const isThrough = position.done !== null && nextId === null;
  return (
    <nav className={classes.bar} aria-label="The list">
      <Back
        search={JSON.stringify(list)}
        name={`${VIEW_NAMES[queue.view]}${isFiltered(reviewQueue) ? ", filtered" : ""}`}
      />
      <Text className={classes.last} size="sm" c="dimmed" component="div">
        {isThrough ? (
          <Group gap="xs" wrap="nowrap">
            That was the last one.
            <ButtonLink size="compact-sm" variant="light" to="/articles" search={list} resetScroll={false}>
              Back to the list
            </ButtonLink>
          </Group>
        ) : (
          last !== null && (
            <>
              {last.done}:{" "}
              <TextLink size="sm" to="/articles/$id" params={{ id: last.id }} search={queue}>
                {last.title}
              </TextLink>
            </>
          )
        )}
      </Text>
      <AutoAdvance isOn={autoAdvance} onChange={steps.setAutoAdvance} />
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

const Back = memo(function Back({ search, name }: { search: string; name: string }): ReactNode {
  return (
    <BackLink to="/articles" search={JSON.parse(search) as QueueFilter} resetScroll={false}>
      {name}
    </BackLink>
  );
});

const AutoAdvance = memo(function AutoAdvance(props: { isOn: boolean; onChange: (isOn: boolean) => void }): ReactNode {
  return (
    <Switch
      className={classes.autoAdvance}
      size="xs"
      label="Go to next after deciding"
      checked={props.isOn}
      onChange={(event) => props.onChange(event.currentTarget.checked)}
    />
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

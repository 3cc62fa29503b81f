import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import { ErrorNote } from "../../../../shared/error-note.tsx";
import { type Picture, picturesQuery } from "../../../../shared/pictures.ts";
import { RowsSkeleton } from "../../../../shared/skeletons.tsx";
import classes from "./picture-dialog.module.css";

interface LibraryProps {
  websiteId: string;
  isMany: boolean;
  isChosen: (picture: Picture) => boolean;
  onChoose: (picture: Picture) => void;
}

/** Pause in typing after which is searched. */
const PAUSE_MS = 200;

/** The website's pictures with a search. The arrow keys move in the grid, Enter and the space bar choose. */
export function Library({ websiteId, isMany, isChosen, onChoose }: LibraryProps): ReactNode {
  const [typed, setTyped] = useState("");
  const [search] = useDebouncedValue(typed.trim(), PAUSE_MS);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    picturesQuery(websiteId, { search }),
  );
  const pictures = data?.pages.flatMap(({ assets }) => assets) ?? [];
  const grid = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const current = Math.min(active, Math.max(0, pictures.length - 1));

  function moveTo(index: number): void {
    const next = Math.max(0, Math.min(index, pictures.length - 1));
    setActive(next);
    const option = grid.current?.children[next];
    if (option instanceof HTMLElement) option.focus();
  }

  function press(event: KeyboardEvent): void {
    const picture = pictures[current];
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns(grid.current), ArrowUp: -columns(grid.current) }[
      event.key
    ];
    if (step !== undefined && current + step >= 0) moveTo(current + step);
    else if (event.key === "Home") moveTo(0);
    else if (event.key === "End") moveTo(pictures.length - 1);
    else if ((event.key === "Enter" || event.key === " ") && picture !== undefined) onChoose(picture);
    else return;
    event.preventDefault();
  }

  return (
    <Stack gap="sm">
      <TextInput
        data-autofocus
        type="search"
        label="Search pictures"
        placeholder="Name or alternative text"
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") event.preventDefault();
          if (event.key !== "ArrowDown" || pictures.length === 0) return;
          event.preventDefault();
          moveTo(current);
        }}
      />
      <ErrorNote error={error} title="The pictures could not be loaded" onRetry={() => void refetch()} />
      {data === undefined && error === null && <RowsSkeleton rows={2} rowHeight={110} />}
      {data !== undefined && pictures.length === 0 && (
        <Text size="sm" c="dimmed" role="status">
          {search === "" ? "No pictures yet." : `No picture found for “${search}”.`}
        </Text>
      )}
      {pictures.length > 0 && (
        <div
          ref={grid}
          className={classes.grid}
          role="listbox"
          aria-label="Pictures"
          aria-multiselectable={isMany}
          tabIndex={-1}
        >
          {pictures.map((picture, index) => (
            <div
              key={picture.id}
              role="option"
              className={classes.option}
              tabIndex={index === current ? 0 : -1}
              aria-selected={isChosen(picture)}
              aria-label={picture.alt === "" ? picture.name : `${picture.name}: ${picture.alt}`}
              onFocus={() => setActive(index)}
              onKeyDown={press}
              onClick={() => onChoose(picture)}
            >
              <img src={`${picture.path}?w=320`} alt="" loading="lazy" decoding="async" />
              <span className={classes.name}>{picture.name}</span>
            </div>
          ))}
        </div>
      )}
      {hasNextPage && (
        <Group justify="center">
          <Button size="xs" variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/** How many options are in a line of the grid. */
function columns(grid: HTMLElement | null): number {
  const options = [...(grid?.children ?? [])].filter((one) => one instanceof HTMLElement);
  const first = options[0]?.offsetTop;
  const next = options.findIndex(({ offsetTop }) => offsetTop !== first);
  return next === -1 ? Math.max(1, options.length) : next;
}

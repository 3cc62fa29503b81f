import { Select } from "@mantine/core";
import { type ReactNode, useMemo, useState } from "react";
import classes from "./comments.module.css";
import { listBlocks, type SelectedPassage, type TextIndex } from "./text-index.ts";

const WHOLE = "whole";
const MAX_BLOCKS = 500;
const MAX_LABEL = 80;

/** What a new comment is about: the selected passage, or what is chosen in the field; null for the whole article. */
export function useAbout(
  index: TextIndex | null,
  selected: SelectedPassage | null,
): { passage: SelectedPassage | null; field: ReactNode } {
  const [about, setAbout] = useState(WHOLE);
  const blocks = useMemo(() => (index === null ? [] : listBlocks(index).slice(0, MAX_BLOCKS)), [index]);
  if (selected !== null) {
    return {
      passage: selected,
      field: (
        <blockquote className={classes.quote} dir="auto">
          {selected.quote}
        </blockquote>
      ),
    };
  }
  const field = (
    <Select
      label="About"
      searchable
      allowDeselect={false}
      value={about}
      onChange={(value) => setAbout(value ?? WHOLE)}
      data={[
        { value: WHOLE, label: "The whole article" },
        ...blocks.map(({ quote }, at) => ({ value: String(at), label: shorten(quote, at) })),
      ]}
      description="Or select words in the text first."
    />
  );
  return { passage: blocks[Number(about)] ?? null, field };
}

/** The labels of options must differ. */
function shorten(quote: string, at: number): string {
  const words = quote.length > MAX_LABEL ? `${quote.slice(0, MAX_LABEL)}…` : quote;
  return `${at + 1}. ${words}`;
}

/** The title, as the headline it becomes. */
import { Textarea } from "@mantine/core";
import { memo, type ReactNode } from "react";
import { useFirstFocus } from "../../../../shared/first-focus.ts";
import { textDirection } from "../../document/text-language.ts";
import classes from "./headline.module.css";

interface HeadlineProps {
  title: string;
  lang: string | undefined;
  /** Called without line breaks, which a title cannot have. */
  onTitle: (title: string) => void;
  error: ReactNode;
  isNew: boolean;
  /** Enter was pressed: the text is next. */
  onLeave: () => void;
}

/** A key in the text does not render it: a growing field would be measured each time. */
export const Headline = memo(Field, areSame);

function areSame(one: HeadlineProps, other: HeadlineProps): boolean {
  return one.title === other.title && one.lang === other.lang && one.error === other.error;
}

function Field({ title, lang, onTitle, error, isNew, onLeave }: HeadlineProps): ReactNode {
  const field = useFirstFocus<HTMLTextAreaElement>(isNew);
  return (
    <Textarea
      ref={field}
      className={classes.root ?? ""}
      classNames={{ input: classes.input ?? "" }}
      variant="unstyled"
      autosize
      minRows={1}
      lang={lang}
      dir={textDirection(lang)}
      aria-label="Title"
      placeholder="Title"
      value={title}
      onChange={(event) => onTitle(event.currentTarget.value.replace(/\s*[\n\r]+\s*/g, " "))}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || event.nativeEvent.isComposing || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        onLeave();
      }}
      error={error}
    />
  );
}

/** A comment field. Typing "@" offers the members of the website. */
import { Combobox, Textarea, useCombobox } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, type ReactNode, useEffect, useState } from "react";
import { flushSync } from "react-dom";
import { useFirstFocus } from "../../../shared/first-focus.ts";
import { mentionableQuery } from "./queries.ts";

interface CommentFieldProps {
  websiteId: string;
  articleId: string;
  label: string;
  value: string;
  error?: string | undefined;
  /** Whether it gets the focus when its dialog opens. */
  hasFocus?: boolean;
  /** Whether it gets the focus as soon as it is shown. */
  isFirst?: boolean;
  onChange: (value: string) => void;
  onSubmit: () => void;
}

/** The name being typed before the caret. */
const STARTED = /(?:^|[\s(])@([\p{L}\p{N}._-]{0,40})$/u;
const MAX_OFFERED = 8;

export function CommentField(props: CommentFieldProps): ReactNode {
  const { websiteId, articleId, label, value, error, hasFocus = false, isFirst = false, onChange, onSubmit } = props;
  const { data } = useQuery(mentionableQuery(websiteId, articleId));
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const field = useFirstFocus<HTMLTextAreaElement>(isFirst);
  const [caret, setCaret] = useState(0);
  const started = STARTED.exec(value.slice(0, caret))?.[1];
  const offered =
    started === undefined
      ? []
      : (data?.people ?? [])
          .filter(({ name }) => name.toLowerCase().includes(started.toLowerCase()))
          .slice(0, MAX_OFFERED);

  const hasOffers = offered.length > 0;
  // Enter takes the first one.
  useEffect(() => {
    if (hasOffers) combobox.selectFirstOption();
    // oxlint-disable-next-line react/exhaustive-deps -- whenever others are offered
  }, [started, hasOffers]);

  function type(text: string, at: number): void {
    setCaret(at);
    onChange(text);
    if (STARTED.test(text.slice(0, at))) combobox.openDropdown();
    else combobox.closeDropdown();
  }

  function pick(name: string): void {
    const before = value.slice(0, caret - (started?.length ?? 0)) + name;
    const next = before.length + 1;
    // At once: whoever goes on typing before the next frame would find the caret moved.
    flushSync(() => {
      onChange(`${before} ${value.slice(caret)}`);
      setCaret(next);
      combobox.closeDropdown();
    });
    field.current?.setSelectionRange(next, next);
  }

  function press(event: KeyboardEvent): void {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      onSubmit();
    }
    if (event.key === "Escape" && combobox.dropdownOpened) {
      // Closes the list, not the dialog.
      event.stopPropagation();
      combobox.closeDropdown();
    }
  }

  return (
    <Combobox store={combobox} onOptionSubmit={pick} withinPortal={false}>
      <Combobox.Target withExpandedAttribute={false}>
        <Textarea
          ref={field}
          label={label}
          autosize
          minRows={3}
          maxRows={10}
          maxLength={10_000}
          value={value}
          error={error}
          {...(hasFocus && { "data-autofocus": true })}
          onChange={({ currentTarget }) => type(currentTarget.value, currentTarget.selectionStart)}
          onKeyDown={press}
          onBlur={() => combobox.closeDropdown()}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={offered.length === 0}>
        <Combobox.Options aria-label="Members">
          {offered.map(({ id, name }) => (
            <Combobox.Option key={id} value={name}>
              {name}
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

import { Select, type SelectProps, Text } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./kind-select.module.css";
import type { SenderKind } from "../../../../src/http/admin/contract/senders.ts";

interface KindSelectProps extends Pick<SelectProps, "value" | "onChange" | "error"> {
  "data-autofocus"?: boolean;
  kinds: readonly SenderKind[];
}

/** The kinds, with those for any product first; typing searches them. */
export function KindSelect({ kinds, ...select }: KindSelectProps): ReactNode {
  const untried = new Set(kinds.filter((kind) => !kind.is_tried).map(({ kind }) => kind));
  return (
    <Select
      label="What sends the articles?"
      description="Choose the product. “Anything else” accepts articles as JSON and finds their fields automatically."
      placeholder="Search"
      searchable
      required
      allowDeselect={false}
      nothingFoundMessage="No product with this name. Choose “Anything else”."
      // The list itself scrolls, as the popup of a combobox: it needs no focus of its own.
      withScrollArea={false}
      // Otherwise the input says only at its second rendering that the list is open.
      comboboxProps={{ keepMounted: true }}
      classNames={{ options: classes.options }}
      data={[
        { group: "Any product", items: kinds.filter((one) => one.is_for_any).map(toItem) },
        { group: "Products", items: kinds.filter((one) => !one.is_for_any).map(toItem) },
      ]}
      renderOption={({ option }) => (
        <div>
          {option.label}
          {untried.has(option.value) && (
            <Text size="xs" c="dimmed">
              not tried with a sample
            </Text>
          )}
        </div>
      )}
      {...select}
    />
  );
}

function toItem({ kind, name }: SenderKind) {
  return { value: kind, label: name };
}

import { ActionIcon, Group, Select, Text } from "@mantine/core";
import IconChevronLeft from "@tabler/icons-react/dist/esm/icons/IconChevronLeft.mjs";
import IconChevronRight from "@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs";
import type { ReactNode } from "react";
import { PAGE_SIZES } from "./search.ts";

interface PagingProps {
  total: number;
  /** Number of articles before the first one shown. */
  from: number;
  size: number;
  onFrom: (from: number) => void;
  onSize: (size: (typeof PAGE_SIZES)[number]) => void;
}

export function Paging({ total, from, size, onFrom, onSize }: PagingProps): ReactNode {
  const last = Math.min(from + size, total);
  return (
    <Group justify="space-between" gap="sm">
      <Group gap="xs">
        <Select
          aria-label="Articles per page"
          size="xs"
          w={86}
          data={PAGE_SIZES.toSorted((a, b) => a - b).map(String)}
          value={String(size)}
          onChange={(value) => onSize(PAGE_SIZES.find((one) => String(one) === value) ?? PAGE_SIZES[0])}
          allowDeselect={false}
        />
        <Text size="xs" c="dimmed">
          per page
        </Text>
      </Group>
      <Group gap="xs">
        <Text size="sm" c="dimmed" aria-live="polite" style={{ fontVariantNumeric: "tabular-nums" }}>
          {total === 0 ? "0" : `${format(from + 1)}–${format(last)}`} of {format(total)}
        </Text>
        <ActionIcon
          variant="default"
          aria-label="Previous page"
          disabled={from === 0}
          onClick={() => onFrom(Math.max(0, from - size))}
        >
          <IconChevronLeft size={16} />
        </ActionIcon>
        <ActionIcon
          variant="default"
          aria-label="Next page"
          disabled={last >= total}
          onClick={() => onFrom(from + size)}
        >
          <IconChevronRight size={16} />
        </ActionIcon>
      </Group>
    </Group>
  );
}

function format(number: number): string {
  return number.toLocaleString("en");
}

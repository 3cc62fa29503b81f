/** Placeholders with the size of the content that is loading. */
import { Skeleton, Stack } from "@mantine/core";
import type { ReactNode } from "react";

/** Rows of a table or list. `rowHeight`: pixels. */
export function RowsSkeleton({ rows = 6, rowHeight = 48 }: { rows?: number; rowHeight?: number }): ReactNode {
  return (
    <Stack gap={0} role="progressbar" aria-busy aria-label="Loading">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} style={{ height: rowHeight, display: "flex", alignItems: "center", gap: 24 }}>
          <Skeleton h={12} w={`${38 - (index % 3) * 6}%`} radius="xl" />
          <Skeleton h={12} w="14%" radius="xl" />
          <Skeleton h={12} w="14%" radius="xl" />
        </div>
      ))}
    </Stack>
  );
}

/** A panel of the given height in pixels. */
export function BlockSkeleton({ height }: { height: number }): ReactNode {
  return <Skeleton h={height} radius="md" role="progressbar" aria-busy aria-label="Loading" />;
}

/** A form with the given number of fields. */
export function FormSkeleton({ fields = 3 }: { fields?: number }): ReactNode {
  return (
    <Stack gap="lg" role="progressbar" aria-busy aria-label="Loading">
      {Array.from({ length: fields }, (_, index) => (
        <Stack key={index} gap={8}>
          <Skeleton h={12} w={120} radius="xl" />
          <Skeleton h={36} radius="sm" />
        </Stack>
      ))}
    </Stack>
  );
}

import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Delivery } from "../../../../src/http/admin/contract/webhooks.ts";
import classes from "./attempt-view.module.css";

type AttemptTimings = Delivery["attempts"][number]["timings"];

const PARTS = [
  { name: "dns", label: "name", color: "var(--mantine-color-gray-5)" },
  { name: "connect", label: "connection", color: "var(--mantine-color-blue-4)" },
  { name: "first_byte", label: "first byte", color: "var(--mantine-color-amber-4)" },
  { name: "total", label: "end", color: "var(--mantine-color-pine-5)" },
] as const satisfies readonly { name: keyof AttemptTimings; label: string; color: string }[];

/** The phases of an attempt from start to end, as a bar and in words. */
export function TimingsBar({ timings }: { timings: AttemptTimings }): ReactNode {
  const total = Math.max(timings.total, 0.001);
  const ends = PARTS.flatMap(({ name, label, color }) => {
    const end = timings[name];
    return end === null ? [] : [{ name, label, color, end }];
  });
  const words = ends.map(({ label, end }) => `${label} ${milliseconds(end)}`).join(", ");
  return (
    <div>
      <svg className={classes.bars} viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden>
        {ends.map(({ name, color, end }, index) => {
          const begin = ends[index - 1]?.end ?? 0;
          return (
            <rect
              key={name}
              x={(begin / total) * 100}
              width={Math.max(0, ((end - begin) / total) * 100)}
              height="8"
              fill={color}
            />
          );
        })}
      </svg>
      <Text size="xs" c="dimmed" mt={4}>
        {words}
      </Text>
    </div>
  );
}

export function milliseconds(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms).toLocaleString("en")} ms`;
}

import { Group, SegmentedControl, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { CodeBlock } from "./code-block.tsx";

const WAYS = [
  { value: "readable", label: "Readable" },
  { value: "sent", label: "As sent" },
];

interface MessageViewProps {
  payload: string;
  title: string;
  /** What it is, for screen readers and the copy button: “the message”. */
  label: string;
}

/** A message as text. Copying yields it as it was sent, however it is displayed. */
export function MessageView({ payload, title, label }: MessageViewProps): ReactNode {
  const [way, setWay] = useState("readable");
  return (
    <div>
      <Group justify="space-between" gap="xs" mb={6}>
        <Text size="sm" fw={550}>
          {title}
        </Text>
        <SegmentedControl size="xs" aria-label={`How ${label} is shown`} data={WAYS} value={way} onChange={setWay} />
      </Group>
      <CodeBlock code={payload} shown={way === "sent" ? payload : readable(payload)} label={label} wrap />
    </div>
  );
}

function readable(payload: string): string {
  try {
    return JSON.stringify(JSON.parse(payload), null, 2);
  } catch {
    return payload;
  }
}

import { Group, SegmentedControl, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { CodeBlock } from "../../shared/code-block.tsx";

const WAYS = [
  { value: "readable", label: "Readable" },
  { value: "sent", label: "As sent" },
];

/** The message sent. Copying yields the signed bytes, however they are displayed. */
export function MessageView({ payload }: { payload: string }): ReactNode {
  const [way, setWay] = useState("readable");
  return (
    <div>
      <Group justify="space-between" gap="xs" mb={6}>
        <Text size="sm" fw={550}>
          Message
        </Text>
        <SegmentedControl size="xs" aria-label="How the message is shown" data={WAYS} value={way} onChange={setWay} />
      </Group>
      <CodeBlock code={payload} shown={way === "sent" ? payload : readable(payload)} label="the message" wrap />
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

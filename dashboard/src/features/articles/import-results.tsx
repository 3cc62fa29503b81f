import { Badge, Chip, Group, Table, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { CopyButton } from "../../shared/copy-button.tsx";
import { TextLink } from "../../shared/links.tsx";
import { WarningList } from "./import-warnings.tsx";
import type { ImportedItem, ImportOutcome, ImportState } from "./import-run.ts";

const OUTCOMES: Record<ImportOutcome, { label: string; color: string }> = {
  failed: { label: "Failed", color: "red" },
  created: { label: "New", color: "pine" },
  updated: { label: "Updated", color: "blue" },
  held: { label: "Held", color: "amber" },
  unchanged: { label: "Unchanged", color: "gray" },
  skipped: { label: "Skipped", color: "gray" },
  copied: { label: "Picture copied", color: "pine" },
  not_copied: { label: "Picture not copied", color: "amber" },
};
const ORDER = [
  "failed",
  "not_copied",
  "held",
  "created",
  "updated",
  "unchanged",
  "skipped",
  "copied",
] as const satisfies readonly ImportOutcome[];
const MAX_ROWS = 200;

/** The result of each article, failures first. */
export function ImportResults({ state }: { state: ImportState }): ReactNode {
  const [only, setOnly] = useState<ImportOutcome | null>(null);
  const { counts, items, warnings } = state;
  const shown = only === null ? items : items.filter(({ outcome }) => outcome === only);
  const hasPictures = counts.copied + counts.not_copied > 0;
  const failures = items.filter(({ outcome }) => outcome === "failed" || outcome === "not_copied");
  return (
    <>
      <Group gap="xs" justify="space-between">
        <Group gap={6}>
          {ORDER.filter((outcome) => counts[outcome] > 0).map((outcome) => (
            <Chip
              key={outcome}
              size="xs"
              variant="light"
              color={OUTCOMES[outcome].color}
              checked={only === outcome}
              onChange={(isOn) => setOnly(isOn ? outcome : null)}
            >
              {`${OUTCOMES[outcome].label} ${counts[outcome].toLocaleString("en")}`}
            </Chip>
          ))}
        </Group>
        {failures.length > 0 && (
          <CopyButton
            withLabel
            label="Copy the failures"
            value={failures.map(({ source, reason }) => `${source}: ${reason}`).join("\n")}
          />
        )}
      </Group>
      {warnings.length > 0 && <WarningList groups={warnings} />}
      <Table verticalSpacing="xs" layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={hasPictures ? 152 : 104}>Result</Table.Th>
            <Table.Th>Article</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.slice(0, MAX_ROWS).map((item) => (
            <Row key={item.no} item={item} />
          ))}
        </Table.Tbody>
      </Table>
      {shown.length > MAX_ROWS && (
        <Text size="sm" c="dimmed">{`The first ${MAX_ROWS} are shown; the numbers above count all.`}</Text>
      )}
    </>
  );
}

function Row({ item }: { item: ImportedItem }): ReactNode {
  const { label, color } = OUTCOMES[item.outcome];
  const name = item.title ?? item.source;
  return (
    <Table.Tr>
      <Table.Td style={{ verticalAlign: "top" }}>
        <Badge variant="light" color={color} tt="none" fw={500}>
          {label}
        </Badge>
      </Table.Td>
      <Table.Td style={{ overflowWrap: "anywhere" }}>
        {item.article_id === null ? (
          <Text size="sm">{name}</Text>
        ) : (
          <TextLink to="/articles/$id" params={{ id: item.article_id }} size="sm">
            {name}
          </TextLink>
        )}
        <Text size="xs" c={item.outcome === "failed" ? "red" : "dimmed"}>
          {about(item)}
        </Text>
      </Table.Td>
    </Table.Tr>
  );
}

/** Which file, and why; omits what is already shown above. */
function about({ title, source, reason }: ImportedItem): string {
  if (reason === null) return title === null ? "" : source;
  return title === null ? reason : `${source}: ${reason}`;
}

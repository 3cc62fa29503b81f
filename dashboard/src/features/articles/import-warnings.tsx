import { Accordion, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { WARNING_KINDS } from "../../shared/warning-kinds.ts";
import { TextLink } from "../../shared/links.tsx";
import type { WarningGroup } from "./import-run.ts";

type Kind = WarningGroup["kind"];

/** What the import could not keep, or only guess, by kind with the first places. */
export function WarningList({ groups }: { groups: readonly WarningGroup[] }): ReactNode {
  const kinds = Object.keys(WARNING_KINDS) as Kind[];
  const sorted = groups.toSorted((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind));
  return (
    <Accordion multiple variant="separated" aria-label="What the import could not keep">
      {sorted.map(({ kind, count, places }) => (
        <Accordion.Item key={kind} value={kind}>
          <Accordion.Control>{`${WARNING_KINDS[kind]} (${count.toLocaleString("en")})`}</Accordion.Control>
          <Accordion.Panel>
            {places.map(({ no, source, title, article_id: id, detail }) => (
              <Text key={no} size="sm" style={{ overflowWrap: "anywhere" }}>
                {id === null ? (
                  (title ?? source)
                ) : (
                  <TextLink to="/articles/$id" params={{ id }} inherit>
                    {title ?? source}
                  </TextLink>
                )}
                {`: ${detail}`}
              </Text>
            ))}
            {count > places.length && (
              <Text size="sm" c="dimmed">{`and ${(count - places.length).toLocaleString("en")} more`}</Text>
            )}
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

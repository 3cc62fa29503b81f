import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { ReviewedArticle } from "../../../../src/http/admin/contract/review.ts";
import { nameActor } from "../../shared/actors.ts";
import { Time } from "../../shared/time.tsx";

/** Where the article came from: “Sent by Tea bot over the API as gyokuro 3 days ago”. */
export function OriginLine({ origin }: Pick<ReviewedArticle, "origin">): ReactNode {
  return (
    <Text component="div" size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
      {describeOrigin(origin)} <Time at={origin.at} />
    </Text>
  );
}

function describeOrigin({ kind, by, source, external_id: externalId }: ReviewedArticle["origin"]): string {
  const who = by === null ? "" : ` by ${nameActor(by.id, by.name)}`;
  const from = source === null ? "" : ` from ${source}`;
  const words: Record<typeof kind, string> = {
    written: `Written here${who}`,
    import: `Imported${from}`,
    file: `Dropped${who}${source === null ? "" : `: ${source}`}`,
    api: `Sent${who} over the API${externalId === null ? "" : ` as ${externalId}`}`,
    push: `Pushed${who}${from}`,
    sender: `Sent${who}`,
  };
  return words[kind];
}

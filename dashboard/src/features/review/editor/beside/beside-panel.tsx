/** What others said about the article, beside the text while one writes. */
import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { ReviewedArticle } from "../../../../../../src/http/admin/contract/review.ts";
import { Time } from "../../../../shared/time.tsx";
import classes from "./beside-panel.module.css";

export interface BesidePanelProps {
  article: ReviewedArticle;
}

export function BesidePanel({ article: { request } }: BesidePanelProps): ReactNode {
  if (request === null) {
    return (
      <Text size="sm" c="dimmed">
        Nobody has requested changes.
      </Text>
    );
  }
  return (
    <Stack gap={4}>
      <Text size="sm">
        <b>{request.by.name}</b> requested changes <Time at={request.at} />
      </Text>
      <Text size="sm" className={classes.reason}>
        {request.reason}
      </Text>
    </Stack>
  );
}

/** What a source brought that is held: to compare, apply or drop. */
import { Button, Group } from "@mantine/core";
import IconTransfer from "@tabler/icons-react/dist/esm/icons/IconTransferIn.mjs";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { HeldChanges, ReviewedArticle } from "../../../../src/http/admin/contract/review.ts";
import { apiPath, post } from "../../api/client.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { useWebsite } from "../../shared/session.tsx";
import type { Compared } from "./compare/compare-modal.tsx";
import { FIELD_LABELS } from "./compare/fields.ts";
import { nameSource } from "./compare/side.ts";
import { Notice } from "./notices.tsx";
import { heldQuery, takeAnswer } from "./queries.ts";

const LABELS: Partial<Record<string, string>> = {
  ...FIELD_LABELS,
  content: "Text",
  excerpt: "Excerpt",
  internal_links: "Internal links",
  published_at: "Date of publication",
};

interface HeldNoticeProps {
  reviewed: ReviewedArticle;
  onCompare: (compared: Compared) => void;
  onChange: (answer: ReviewedArticle) => void;
}

export function HeldNotices({ reviewed, ...acts }: HeldNoticeProps): ReactNode {
  const { data } = useQuery(heldQuery(reviewed));
  if (reviewed.line.deleted_at !== null) return null;
  return data?.held.map((held) => (
    <HeldNotice key={`${held.source} ${held.held_at}`} reviewed={reviewed} held={held} {...acts} />
  ));
}

interface OneNoticeProps extends HeldNoticeProps {
  held: HeldChanges["held"][number];
}

function HeldNotice({ reviewed, held, onCompare, onChange }: OneNoticeProps): ReactNode {
  const client = useQueryClient();
  const website = useWebsite();
  const [busy, setBusy] = useState<"apply" | "drop" | null>(null);
  const [error, setError] = useState<unknown>(null);
  const { article, line, draft } = reviewed;
  const fields = held.fields.map((name) => LABELS[name] ?? name.replaceAll("_", " ")).join(", ");

  async function settle(verb: "apply" | "drop"): Promise<void> {
    setBusy(verb);
    setError(null);
    const { source, held_at } = held;
    const versions = { version: line.version, draft_saved_at: draft?.saved_at ?? null };
    try {
      const answer = await post<ReviewedArticle>(apiPath`/articles/${article.id}/held/${verb}`, {
        body: { source, held_at, ...(verb === "apply" ? versions : {}) },
      });
      takeAnswer(client, answer);
      onChange(answer);
      await client.invalidateQueries({ queryKey: heldQuery(reviewed).queryKey });
    } catch (thrown) {
      setError(thrown);
      setBusy(null);
    }
  }

  const compare = () => onCompare({ from: draft === null ? "current" : "draft", to: held.side });
  const buttons = website.can("articles.edit") && (
    <>
      <Button size="compact-sm" loading={busy === "apply"} onClick={() => void settle("apply")}>
        Apply
      </Button>
      <Button size="compact-sm" variant="default" loading={busy === "drop"} onClick={() => void settle("drop")}>
        Drop
      </Button>
    </>
  );
  return (
    <>
      <Notice tone="amber" icon={<IconTransfer size={18} />}>
        <span style={{ overflowWrap: "anywhere" }}>
          {`Changes from ${nameSource(held.source)} are held until somebody applies or drops them: ${fields}.`}
        </span>
        <Group gap={6}>
          <Button size="compact-sm" variant="default" onClick={compare}>
            Compare
          </Button>
          {buttons}
        </Group>
      </Notice>
      <ErrorNote error={error} title="The held changes were neither applied nor dropped" />
    </>
  );
}

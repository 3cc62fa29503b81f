/** Creates, lists and revokes review links, for people without an account. */
import { Anchor, Button, Group, Modal, Select, Stack, Text, TextInput } from "@mantine/core";
import IconUserShare from "@tabler/icons-react/dist/esm/icons/IconUserShare.mjs";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { ReviewLinkList, ReviewLinkMade } from "../../../../../src/http/admin/contract/review-links.ts";
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import { apiPath, del, get, post } from "../../../api/client.ts";
import { CopyButton } from "../../../shared/copy-button.tsx";
import { ErrorNote } from "../../../shared/error-note.tsx";
import { Time } from "../../../shared/time.tsx";
import classes from "../about.module.css";

export function ReviewLinks({ reviewed }: { reviewed: ReviewedArticle }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Anchor component="button" type="button" inherit onClick={() => setOpen(true)}>
        <span className={classes.way}>
          Review link <IconUserShare size={14} aria-hidden />
        </span>
      </Anchor>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="Review links" size="lg">
        <Body reviewed={reviewed} />
      </Modal>
    </>
  );
}

const DAYS = [
  { value: "1", label: "1 day" },
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
];

function Body({ reviewed: { article, website_id } }: { reviewed: ReviewedArticle }): ReactNode {
  const client = useQueryClient();
  const queryKey = ["articles", website_id, "review-links", article.id];
  const path = apiPath`/articles/${article.id}/review-links`;
  const list = useQuery({ queryKey, queryFn: ({ signal }) => get<ReviewLinkList>(path, { signal }) });
  const [label, setLabel] = useState("");
  const [days, setDays] = useState("7");
  const settled = () => client.invalidateQueries({ queryKey });
  const making = useMutation({
    mutationFn: () => post<ReviewLinkMade>(path, { body: { label, days: Number(days) } }),
    onSuccess: () => setLabel(""),
    onSettled: settled,
  });
  const revoking = useMutation({
    mutationFn: (id: string) => del(apiPath`/articles/${article.id}/review-links/${id}`),
    onSettled: settled,
  });
  const url = making.data && `${location.origin}/dashboard/review#${making.data.token}`;
  const links = (list.data?.links ?? []).filter((link) => link.revoked_at === null);
  return (
    <Stack>
      <Text size="sm">
        Anybody with the link can read the current text without an account, comment on it, and approve it or request
        changes. Their approval counts like yours. If the text changes, the link stops working.
      </Text>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          making.mutate();
        }}
      >
        <Group align="flex-end" gap="sm">
          <TextInput
            data-autofocus
            label="For whom"
            description="Shown to teammates (optional)."
            value={label}
            maxLength={200}
            onChange={(event) => setLabel(event.currentTarget.value)}
            flex="1 1 200px"
          />
          <Select
            label="Valid for"
            allowDeselect={false}
            value={days}
            onChange={(value) => setDays(value ?? "7")}
            data={DAYS}
            w={110}
          />
          <Button type="submit" loading={making.isPending}>
            Create link
          </Button>
        </Group>
      </form>
      <ErrorNote error={making.error ?? revoking.error ?? list.error} />
      {url !== undefined && (
        <Stack gap={4} role="status">
          <Text size="sm">Copy the link now and send it; you won’t see it again.</Text>
          <Group gap="xs" wrap="nowrap">
            <TextInput aria-label="Review link" value={url} readOnly flex={1} />
            <CopyButton value={url} label="Copy the link" />
          </Group>
        </Stack>
      )}
      {links.map((link) => (
        <Group key={link.id} justify="space-between" wrap="nowrap" gap="sm">
          <Text size="sm">
            {link.label === "" ? "Without a name" : link.label}, valid until{" "}
            <Time at={link.expires_at} exact="minute" />
            {link.guest !== null && link.decision !== null && (
              <>
                . {link.guest} {link.decision === "approve" ? "approved it" : "requested changes"}.
              </>
            )}
          </Text>
          <Button
            size="compact-sm"
            variant="default"
            flex="none"
            loading={revoking.isPending && revoking.variables === link.id}
            onClick={() => revoking.mutate(link.id)}
          >
            Revoke
          </Button>
        </Group>
      ))}
    </Stack>
  );
}

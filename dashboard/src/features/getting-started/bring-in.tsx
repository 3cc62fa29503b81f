import { Button, Group, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { AccessTokenInput, AccessTokenMade } from "../../../../src/http/admin/contract/access-tokens.ts";
import type { GettingStarted } from "../../../../src/http/admin/contract/overview.ts";
import { post } from "../../api/client.ts";
import { CodeBlock } from "../../shared/code-block.tsx";
import { ErrorNote } from "../../shared/error-note.tsx";
import { focusWhenShown } from "../../shared/focus-when-shown.ts";
import { ButtonLink, TextLink } from "../../shared/links.tsx";
import { useWebsite } from "../../shared/session.tsx";
import { Examples } from "./examples.tsx";
import classes from "./getting-started-page.module.css";
import { WAYS } from "./way-snippets.ts";
import { SetupStep } from "./step.tsx";

/** One minute for each way in which articles come in. */
export function BringIn({ number, state }: { number: number; state: GettingStarted }): ReactNode {
  const website = useWebsite();
  const client = useQueryClient();
  const making = useMutation({
    mutationFn: () =>
      post<AccessTokenMade>("/access-tokens", {
        body: {
          website_id: website.id,
          name: "Getting started",
          scope: "draft",
          expires_at: null,
        } satisfies AccessTokenInput,
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["keys"] }),
  });
  const values = {
    baseUrl: state.base_url,
    websiteId: website.id,
    token: making.data?.secret ?? "YOUR_ACCESS_TOKEN",
  };
  return (
    <SetupStep
      number={number}
      title="Bring articles in"
      isDone={state.has_articles}
      state={state.has_articles ? "Done" : "No articles yet"}
    >
      {making.data === undefined ? (
        <Group gap="sm">
          {website.can("keys.manage") && (
            <Button variant="default" loading={making.isPending} onClick={() => making.mutate()}>
              Create an access token
            </Button>
          )}
          <Text size="sm" c="dimmed">
            {website.can("keys.manage")
              ? "For the API, a repository or an agent. The articles it sends wait under To review."
              : "The API, a repository or an agent needs an access token. Only owners can create one: ask one of them."}
          </Text>
        </Group>
      ) : (
        <div ref={focusWhenShown} tabIndex={-1} className={classes.key}>
          <CodeBlock code={making.data.secret} label="the access token" title="Shown only once: store it now" wrap />
          <Text size="sm" c="dimmed">
            {"The examples below contain it until you leave this page. You can revoke it under "}
            <TextLink to="/settings/access-tokens" inherit>
              Access tokens
            </TextLink>
            .
          </Text>
        </div>
      )}
      <ErrorNote error={making.error} title="The access token was not created" />
      <Examples
        label="Ways to bring articles in"
        examples={[
          { name: "Files", content: <Files /> },
          { name: "Writing tool", content: <WritingTool /> },
          ...WAYS.map(({ name, about, title, code }) => ({
            name,
            content: (
              <>
                <Text size="sm" mb="sm">
                  {about}
                </Text>
                <CodeBlock code={code(values)} title={title} label={`the ${name} example`} />
              </>
            ),
          })),
        ]}
      />
    </SetupStep>
  );
}

function WritingTool(): ReactNode {
  const website = useWebsite();
  return (
    <>
      <Text size="sm" mb="sm">
        Outrank, BabyLoveGrowth, StoryChief and others, and any tool that publishes to WordPress or Ghost, can send
        articles here. Choose the tool, then paste an address and a secret into its settings.
      </Text>
      {website.can("keys.manage") && (
        <ButtonLink to="/settings/senders" variant="default" w="fit-content">
          Connect a sender
        </ButtonLink>
      )}
    </>
  );
}

function Files(): ReactNode {
  const website = useWebsite();
  return (
    <>
      <Text size="sm" mb="sm">
        Drop files or a whole folder onto a page: Markdown, Word, HTML, JSON, or an export of WordPress, Ghost, Medium
        and many others.
      </Text>
      {website.can("articles.import") && (
        <ButtonLink to="/import" variant="default" w="fit-content">
          Drop files
        </ButtonLink>
      )}
    </>
  );
}

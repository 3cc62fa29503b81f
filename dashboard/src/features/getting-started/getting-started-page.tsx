import { Anchor, Button, Code, Group, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ApiKeyMade } from "../../../../src/http/admin/contract/api-keys.ts";
import type { GettingStarted } from "../../../../src/http/admin/contract/overview.ts";
import { get, post } from "../../api/client.ts";
import { CodeBlock } from "../../shared/code-block.tsx";
import { ErrorNote } from "../../shared/error-note.tsx";
import { focusWhenShown } from "../../shared/focus-when-shown.ts";
import { ButtonLink, TextLink } from "../../shared/links.tsx";
import { Page } from "../../shared/page.tsx";
import { useWebsite } from "../../shared/session.tsx";
import { BlockSkeleton } from "../../shared/skeletons.tsx";
import { Time } from "../../shared/time.tsx";
import { BringIn } from "./bring-in.tsx";
import { Examples } from "./examples.tsx";
import { GUIDES } from "./guides.ts";
import { RECEIVERS } from "./receiver-snippets.ts";
import { type Filled, REQUESTS } from "./request-snippets.ts";
import classes from "./getting-started-page.module.css";
import { SiteGuide } from "./site-guide.tsx";
import { SetupStep } from "./step.tsx";

export function GettingStartedPage(): ReactNode {
  const website = useWebsite();
  const { data, error, refetch } = useQuery({
    queryKey: ["getting-started", website.id],
    queryFn: ({ signal }) => get<GettingStarted>("/getting-started", { query: { website_id: website.id }, signal }),
  });
  return (
    <Page
      title="Getting started"
      width="narrow"
      description={`Bring articles into ${website.name}, read them on your own pages with a key, and get each change by webhook.`}
    >
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {data === undefined && error === null && <BlockSkeleton height={420} />}
      {data !== undefined && <Steps key={website.id} state={data} />}
    </Page>
  );
}

function Steps({ state }: { state: GettingStarted }): ReactNode {
  const website = useWebsite();
  const client = useQueryClient();
  const mayMakeKeys = website.can("keys.manage");
  const making = useMutation({
    mutationFn: () =>
      post<ApiKeyMade>("/api-keys", {
        // Pages made from the examples publish what the key reads, so it must not read unreviewed articles.
        body: { website_id: website.id, name: "Getting started", scope: "published" },
      }),
    onSuccess: () =>
      Promise.all(["keys", "getting-started"].map((key) => client.invalidateQueries({ queryKey: [key] }))),
  });
  const filled: Filled = {
    baseUrl: state.base_url,
    key: making.data?.secret ?? "YOUR_API_KEY",
    siteUrl: state.website.url ?? "https://example.com",
    articleId: state.example_article?.id ?? "ARTICLE_ID",
    slug: state.example_article?.slug ?? "a-slug",
  };
  return (
    <>
      <BringIn number={1} state={state} />
      <SetupStep number={2} title="An API key" isDone={state.has_key} state={state.has_key ? "Created" : "None yet"}>
        {making.data === undefined ? (
          <Group gap="sm">
            {mayMakeKeys && (
              <Button
                variant={state.has_key ? "default" : "filled"}
                loading={making.isPending}
                onClick={() => making.mutate()}
              >
                {state.has_key ? "Create another key" : "Create a key"}
              </Button>
            )}
            <Text size="sm" c="dimmed">
              {mayMakeKeys
                ? "A key is shown once and can read only this website's published articles."
                : "Only owners can create keys: ask one of them."}
            </Text>
          </Group>
        ) : (
          <div ref={focusWhenShown} tabIndex={-1} className={classes.key}>
            <CodeBlock code={making.data.secret} label="the key" title="Shown only once: store it now" wrap />
            <Text size="sm" c="dimmed">
              {"The examples below contain it until you leave this page. You can revoke it under "}
              <TextLink to="/settings/api-keys" inherit>
                API keys
              </TextLink>
              .
            </Text>
          </div>
        )}
        <ErrorNote error={making.error} title="The key was not created" />
      </SetupStep>
      <SetupStep
        number={3}
        title="A first request"
        isDone={state.first_request_at !== null}
        state={<Requested state={state} />}
      >
        {state.example_article === null && (
          <Text size="sm" c="dimmed">
            {state.has_articles ? "No article is published yet, so the list is empty. " : "There are no articles yet. "}
            <TextLink to={state.has_articles ? "/articles" : "/import"} inherit>
              {state.has_articles ? "Publish one" : "Import some"}
            </TextLink>
          </Text>
        )}
        <Examples
          label="Languages and frameworks"
          examples={[
            ...REQUESTS.map(({ name, title, code }) => ({
              name,
              content: <CodeBlock code={code(filled)} title={title} label={`the ${name} example`} />,
            })),
            ...GUIDES.map((guide) => ({
              name: guide.name,
              content: <SiteGuide guide={guide} filled={filled} />,
            })),
          ]}
        />
        <Text size="sm" c="dimmed">
          All fields, filters and responses:{" "}
          <Anchor href="/docs" inherit underline="always">
            the API's documentation
          </Anchor>
          .
        </Text>
      </SetupStep>
      <SetupStep
        number={4}
        title="A webhook"
        isDone={state.first_delivery_at !== null}
        state={<Delivered state={state} />}
      >
        <Text size="sm">
          Create a webhook with the URL of your receiver, and copy the signing secret. Start the receiver with that
          secret where this service can reach it, then send a test from the webhook's page. The starter sites above
          receive webhooks at <Code>/hooks/rostrum</Code>. For anything else, use this:
        </Text>
        <Examples
          label="Languages of the receiver"
          examples={RECEIVERS.map(({ name, title, code }) => ({
            name,
            content: <CodeBlock code={code} title={title} label={`the ${name} example`} />,
          }))}
        />
        {website.can("webhooks.manage") && (
          <ButtonLink to="/settings/webhooks" variant={state.has_webhook ? "default" : "filled"} w="fit-content">
            {state.has_webhook ? "Go to the webhooks" : "Create a webhook"}
          </ButtonLink>
        )}
      </SetupStep>
    </>
  );
}

function Requested({ state: { first_request_at: at } }: { state: GettingStarted }): ReactNode {
  return at === null ? (
    "Waiting for the first request …"
  ) : (
    <>
      {"First request received "}
      <Time at={at} />
    </>
  );
}

function Delivered({
  state: { first_delivery_at: at, has_webhook: hasWebhook },
}: {
  state: GettingStarted;
}): ReactNode {
  if (at === null) return hasWebhook ? "Waiting for the first delivery …" : "None yet";
  return (
    <>
      {"First delivery received "}
      <Time at={at} />
    </>
  );
}

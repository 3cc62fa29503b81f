import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import IconTestPipe from "@tabler/icons-react/dist/esm/icons/IconTestPipe.mjs";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { SampleResult, Sender } from "../../../../src/http/admin/contract/senders.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { MessageView } from "../../shared/message-view.tsx";
import { trySample } from "./requests.ts";
import classes from "./sample.module.css";
import { FIELD_LABELS } from "./words.ts";

/** Reads the kind's own sample, and shows what would become of it. */
export function SampleButton({ sender }: { sender: Sender }): ReactNode {
  const sample = useMutation({ mutationFn: () => trySample(sender.id, {}) });
  if (!sender.kind.has_sample) return null;
  return (
    <div>
      <Group gap="sm">
        <Button
          variant="default"
          leftSection={<IconTestPipe size={16} />}
          loading={sample.isPending}
          onClick={() => sample.mutate()}
        >
          Send a sample
        </Button>
        <Text size="xs" c="dimmed">
          Shows how a sample article would be stored. Nothing is saved.
        </Text>
      </Group>
      <div aria-live="polite">
        <ErrorNote error={sample.error} />
        {sample.data !== undefined && (
          <div className={classes.result}>
            <SampleView result={sample.data} />
          </div>
        )}
      </div>
    </div>
  );
}

const MEANINGS: Partial<Record<SampleResult["kind"], string>> = {
  removal: "It asks to delete an article. A person decides.",
  test: "It is a test. It is answered, but nothing is saved.",
  other: "It is answered, but nothing is saved.",
};

/** What would be stored and answered. */
export function SampleView({ result, onlyStored = false }: { result: SampleResult; onlyStored?: boolean }): ReactNode {
  const { kind, problem, articles, reply } = result;
  return (
    <Stack gap="md">
      {problem !== null && (
        <Alert color="amber" title="It would need attention">
          {problem}
        </Alert>
      )}
      {problem === null && MEANINGS[kind] !== undefined && <Text size="sm">{MEANINGS[kind]}</Text>}
      {articles.map((article, at) => (
        // Those that could not be read may have the same ID.
        // oxlint-disable-next-line react/no-array-index-key
        <section key={at} aria-label={`What would be stored as ${article.external_id}`}>
          <Text size="sm" fw={550} mb={6}>
            {article.problem === null ? "Would be stored" : "Would not be stored"}
          </Text>
          {article.problem !== null && (
            <Alert color="amber" mb="xs">
              {article.problem}
            </Alert>
          )}
          <dl className={classes.fields}>
            {article.fields.map(({ field, value, place }) => (
              <div key={field}>
                <dt>{FIELD_LABELS[field]}</dt>
                <dd>
                  {value}
                  {place !== null && <span className={classes.place}>{place === "" ? "" : ` from ${place}`}</span>}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      {!onlyStored && (
        <MessageView payload={reply.body} title={`Would be answered: ${reply.status}`} label="the answer" />
      )}
    </Stack>
  );
}

import { Collapse, Group, Stack, Text, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import IconCheck from "@tabler/icons-react/dist/esm/icons/IconCheck.mjs";
import IconChevronRight from "@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs";
import IconX from "@tabler/icons-react/dist/esm/icons/IconX.mjs";
import { type ReactNode, useId } from "react";
import type { Delivery } from "../../../../src/http/admin/contract/webhooks.ts";
import { CodeBlock } from "../../shared/code-block.tsx";
import { Pairs } from "../../shared/pairs.tsx";
import { Time } from "../../shared/time.tsx";
import classes from "./attempt-view.module.css";
import { TimingsBar } from "./timings.tsx";

type Attempt = Delivery["attempts"][number];

/** One POST in full. The receiver's response is shown as plain text, whatever its type. */
export function AttemptView({ attempt }: { attempt: Attempt }): ReactNode {
  const isSuccess = attempt.outcome === "success";
  return (
    <section className={classes.attempt} aria-label={`Attempt ${attempt.number}`}>
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Group gap={6}>
            {isSuccess ? (
              <IconCheck size={16} color="var(--mantine-color-success)" aria-hidden />
            ) : (
              <IconX size={16} color="var(--mantine-color-error)" aria-hidden />
            )}
            <Text size="sm" fw={550}>
              {`Attempt ${attempt.number}: ${attempt.status === null ? attempt.outcome.replaceAll("_", " ") : `HTTP ${attempt.status}`}`}
            </Text>
          </Group>
          <Text size="xs" c="dimmed">
            <Time at={attempt.at} exact />
          </Text>
        </Group>
        {/* An error that only repeats the status is not shown. */}
        {attempt.error !== null && attempt.error !== `The receiver answered ${attempt.status}.` && (
          <Text size="sm" c="red" style={{ overflowWrap: "anywhere" }}>
            {attempt.error}
          </Text>
        )}
        <TimingsBar timings={attempt.timings} />
        <Fold title="Request headers">
          <Pairs of={Object.entries(attempt.request_headers).map(([name, value]) => ({ name, value }))} />
        </Fold>
        {attempt.response_headers.length > 0 && (
          <Fold title="Response headers">
            <Pairs of={attempt.response_headers} />
          </Fold>
        )}
        {attempt.response_body !== "" && (
          <CodeBlock code={attempt.response_body} label="the answer" title="Answer" wrap />
        )}
      </Stack>
    </section>
  );
}

function Fold({ title, children }: { title: string; children: ReactNode }): ReactNode {
  const id = useId();
  const [isOpen, { toggle }] = useDisclosure(false);
  return (
    <div>
      <UnstyledButton className={classes.fold} onClick={toggle} aria-expanded={isOpen} aria-controls={id}>
        <IconChevronRight size={14} className={classes.chevron} aria-hidden />
        {title}
      </UnstyledButton>
      <Collapse id={id} expanded={isOpen} mt={isOpen ? 6 : 0}>
        {children}
      </Collapse>
    </div>
  );
}

import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import IconEyeOff from "@tabler/icons-react/dist/esm/icons/IconEyeOff.mjs";
import type { ReactNode } from "react";
import { CodeBlock } from "../../shared/code-block.tsx";
import { TextLink } from "../../shared/links.tsx";

interface WebhookSecretProps {
  secret: string;
  /** Additional information. */
  note?: ReactNode;
  onCopied: () => void;
  onStored: () => void;
}

const VERIFY = `import { Webhook } from "standardwebhooks";

// body: the request's body as it came, not parsed.
const event = new Webhook(process.env.ROSTRUM_WEBHOOK_SECRET).verify(body, headers);`;

/** The signing secret, and how a receiver uses it. */
export function WebhookSecret({ secret, note, onCopied, onStored }: WebhookSecretProps): ReactNode {
  return (
    <Stack gap="lg">
      <Alert color="amber" icon={<IconEyeOff size={18} />}>
        Copy the signing secret now; you won’t see it again. Your receiver needs it to tell real messages from forged
        ones.
      </Alert>
      {note !== undefined && <Text size="sm">{note}</Text>}
      <CodeBlock code={secret} label="the secret" title="Signing secret" wrap onCopied={onCopied} />
      <CodeBlock code={VERIFY} label="the check" title="In the receiver (Standard Webhooks)" wrap />
      <Group justify="space-between" gap="sm">
        <Text size="sm" c="dimmed">
          {"See "}
          <TextLink to="/getting-started" target="_blank" inherit underline="always">
            Getting started
          </TextLink>
          {" for complete receivers."}
        </Text>
        <Button onClick={onStored}>I have stored it</Button>
      </Group>
    </Stack>
  );
}

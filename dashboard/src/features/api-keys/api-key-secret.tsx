import { Alert, Anchor, Button, Group, Stack, Text } from "@mantine/core";
import IconEyeOff from "@tabler/icons-react/dist/esm/icons/IconEyeOff.mjs";
import type { ReactNode } from "react";
import type { ApiKeyMade } from "../../../../src/http/admin/contract/api-keys.ts";
import { CodeBlock } from "../../shared/code-block.tsx";

/** Shows the key and a command that tests it. */
export function ApiKeySecret(props: { made: ApiKeyMade; onCopied: () => void; onStored: () => void }): ReactNode {
  const { made, onCopied, onStored } = props;
  return (
    <Stack gap="lg">
      <Alert color="amber" icon={<IconEyeOff size={18} />}>
        It is shown only once. Store it where your server reads its settings, such as an environment variable.
      </Alert>
      <CodeBlock code={made.secret} label="the key" title="API key" wrap onCopied={onCopied} />
      <CodeBlock code={made.curl} label="the command" title="Try it" wrap />
      <Group justify="space-between" gap="sm">
        <Text size="sm" c="dimmed">
          More in the{" "}
          <Anchor href="/docs" target="_blank" inherit underline="always">
            API's documentation
          </Anchor>
          .
        </Text>
        <Button onClick={onStored}>I have stored it</Button>
      </Group>
    </Stack>
  );
}

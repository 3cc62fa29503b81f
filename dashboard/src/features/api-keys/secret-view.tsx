import { Alert, Anchor, Button, Group, Stack, Text } from "@mantine/core";
import IconEyeOff from "@tabler/icons-react/dist/esm/icons/IconEyeOff.mjs";
import type { ReactNode } from "react";
import { CodeBlock } from "../../shared/code-block.tsx";

interface SecretViewProps {
  made: { secret: string; curl: string };
  what: "key" | "access token";
  onCopied: () => void;
  onStored: () => void;
}

/** Shows the key or token and a command that tests it. */
export function SecretView({ made, what, onCopied, onStored }: SecretViewProps): ReactNode {
  return (
    <Stack gap="lg">
      <Alert color="amber" icon={<IconEyeOff size={18} />}>
        It is shown only once. Store it where your {what === "key" ? "server" : "program"} reads its settings, such as
        an environment variable.
      </Alert>
      <CodeBlock
        code={made.secret}
        label={`the ${what}`}
        title={what === "key" ? "API key" : "Access token"}
        wrap
        onCopied={onCopied}
      />
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

import { Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import IconDownload from "@tabler/icons-react/dist/esm/icons/IconDownload.mjs";
import IconPrinter from "@tabler/icons-react/dist/esm/icons/IconPrinter.mjs";
import { type ReactNode, useState } from "react";
import { CopyButton } from "../../shared/copy-button.tsx";
import { useSession } from "../../shared/session.tsx";
import classes from "./recovery-code-list.module.css";

interface RecoveryCodeListProps {
  codes: readonly string[];
  /** Called when the codes were copied or saved in another way. */
  onTaken: () => void;
  onDone: () => void;
}

/** Shows the recovery codes, which are shown only once. */
export function RecoveryCodeList({ codes, onTaken, onDone }: RecoveryCodeListProps): ReactNode {
  const { account } = useSession();
  const [isSaved, setSaved] = useState(false);
  const heading = `Rostrum recovery codes of ${account.email} (${window.location.host})`;
  return (
    <Stack gap="md">
      <Text size="sm">
        If you lose your authenticator, each of these codes signs you in once. They are shown only now: keep them
        somewhere safe, but not on the same phone.
      </Text>
      <div data-print>
        <p className={classes.heading}>{heading}</p>
        <ul className={classes.codes} aria-label="Recovery codes">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
      </div>
      <Group gap="sm">
        <CopyButton value={codes.join("\n")} label="Copy" withLabel onCopied={onTaken} />
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          onClick={() => {
            download("rostrum-recovery-codes.txt", `${heading}\n\n${codes.join("\n")}\n`);
            onTaken();
          }}
        >
          Download
        </Button>
        <Button variant="default" leftSection={<IconPrinter size={16} />} onClick={() => window.print()}>
          Print
        </Button>
      </Group>
      <Checkbox
        label="I have saved them"
        checked={isSaved}
        onChange={(event) => {
          setSaved(event.currentTarget.checked);
          if (event.currentTarget.checked) onTaken();
        }}
      />
      <Group justify="flex-end">
        <Button onClick={onDone} disabled={!isSaved}>
          Done
        </Button>
      </Group>
    </Stack>
  );
}

function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

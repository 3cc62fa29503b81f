import { Button, Checkbox, Group, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import type { Asset } from "../../../../../../src/http/admin/contract/assets.ts";
import { toMessage } from "../../../../shared/error-note.tsx";
import { copyPicture, refreshPictures } from "../../../../shared/pictures.ts";
import { cleanAddress } from "../document/addresses.ts";

interface ByAddressProps {
  websiteId: string;
  /** Called with the copy. */
  onAsset: (asset: Asset) => void;
  onLink: (src: string) => void;
}

/** A picture elsewhere on the web, which the service copies, or which the article loads from there. */
export function ByAddress({ websiteId, onAsset, onLink }: ByAddressProps): ReactNode {
  const client = useQueryClient();
  const [address, setAddress] = useState("");
  const [isKept, setKept] = useState(true);
  const copying = useMutation({
    mutationFn: () => copyPicture(websiteId, cleanAddress(address)),
    onSuccess: async (asset) => {
      setAddress("");
      onAsset(asset);
      await refreshPictures(client, websiteId);
    },
  });

  function fetchNow(): void {
    if (address.trim() === "" || copying.isPending) return;
    if (isKept) {
      copying.mutate();
      return;
    }
    onLink(cleanAddress(address));
    setAddress("");
  }

  return (
    <Stack gap="sm">
      <Group align="flex-end" wrap="nowrap" gap="sm">
        <TextInput
          data-autofocus
          flex={1}
          type="url"
          label="Address of the picture"
          placeholder="https://"
          value={address}
          onChange={(event) => {
            copying.reset();
            setAddress(event.currentTarget.value);
          }}
          error={copying.error === null ? null : toMessage(copying.error)}
          inputWrapperOrder={["label", "error", "input"]}
          onKeyDown={(event: KeyboardEvent) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            fetchNow();
          }}
        />
        <Button variant="default" loading={copying.isPending} onClick={fetchNow}>
          {isKept ? "Fetch" : "Use address"}
        </Button>
      </Group>
      <Checkbox
        label="Keep a copy in Pictures"
        description="Otherwise readers load it from the other website, which can change or remove it."
        checked={isKept}
        onChange={(event) => {
          copying.reset();
          setKept(event.currentTarget.checked);
        }}
      />
    </Stack>
  );
}

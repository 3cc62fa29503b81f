import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import { useAnnounce } from "../../../../shared/announce.tsx";
import { refreshPictures } from "../../../../shared/pictures.ts";
import { useWebsite } from "../../../../shared/session.tsx";
import type { Format } from "../document/fingerprint.ts";
import { type ChosenPicture, TextPictures } from "./text-pictures.ts";

/** `onOpen`: called when Enter is pressed on a picture. */
export function useTextPictures(
  format: Format,
  onOpen: () => void,
): { pictures: TextPictures; chosen: ChosenPicture | null; leave: () => void } {
  const website = useWebsite();
  const client = useQueryClient();
  const announce = useAnnounce();
  const [chosen, setChosen] = useState<ChosenPicture | null>(null);
  const open = useEffectEvent(onOpen);
  const [pictures] = useState(
    () =>
      new TextPictures({
        format,
        websiteId: website.id,
        announce,
        onChosen: (next) => setChosen((before) => (isSame(before, next) ? before : next)),
        onUploaded: () => void refreshPictures(client, website.id),
      }),
  );
  useEffect(() => pictures.subscribeToOpen(() => open()), [pictures]);
  return { pictures, chosen, leave: () => setChosen(null) };
}

function isSame(one: ChosenPicture | null, other: ChosenPicture | null): boolean {
  return one?.dom === other?.dom && one?.position === other?.position;
}

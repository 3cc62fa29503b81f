import { useEffect, useState } from "react";
import { safeAddress } from "../../document/addresses.ts";
import { type ChosenLink, TextLinks } from "./links.ts";

/** `pageUrl`: what relative addresses begin with; null while it is unknown. */
export function useTextLinks(pageUrl: string | null): {
  links: TextLinks;
  chosenLink: ChosenLink | null;
  leaveLink: () => void;
} {
  const [chosenLink, setChosen] = useState<ChosenLink | null>(null);
  const [links] = useState(
    () => new TextLinks((next) => setChosen((before) => (isSame(before, next) ? before : next))),
  );
  useEffect(
    () =>
      links.subscribeToOpen((href) => {
        const url = toUrl(href, pageUrl);
        if (url !== null) window.open(url, "_blank", "noopener,noreferrer");
      }),
    [links, pageUrl],
  );
  return { links, chosenLink, leaveLink: () => setChosen(null) };
}

/** @returns what a link leads to; null if it is a place within the text, or must not be opened. */
export function toUrl(href: string, pageUrl: string | null): string | null {
  if (href.startsWith("#") || safeAddress(href) === null) return null;
  return URL.parse(href, pageUrl ?? undefined)?.href ?? null;
}

function isSame(one: ChosenLink | null, other: ChosenLink | null): boolean {
  return one?.dom === other?.dom && one?.href === other?.href;
}

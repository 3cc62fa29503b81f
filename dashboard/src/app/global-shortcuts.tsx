import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useWebsiteOrNull } from "../shared/session.tsx";
import { type Shortcut, useShortcuts } from "../shared/shortcuts.tsx";
import { useShortcutHelp } from "./shortcut-help.tsx";

const GO = "Go to";
const EVERYWHERE = "Everywhere";

/** Shortcuts that work on every page. */
export function GlobalShortcuts({ onSearch }: { onSearch: () => void }): ReactNode {
  const navigate = useNavigate();
  const website = useWebsiteOrNull();
  const openHelp = useShortcutHelp();
  const go: Shortcut[] = [
    { keys: "g o", label: "Overview", group: GO, run: () => void navigate({ to: "/" }) },
    { keys: "g i", label: "Inbox", group: GO, run: () => void navigate({ to: "/inbox" }) },
    { keys: "g a", label: "Articles", group: GO, run: () => void navigate({ to: "/articles" }) },
  ];
  if (website?.can("keys.manage") === true) {
    go.push({ keys: "g k", label: "API keys", group: GO, run: () => void navigate({ to: "/settings/api-keys" }) });
  }
  if (website?.can("webhooks.manage") === true) {
    go.push({ keys: "g w", label: "Webhooks", group: GO, run: () => void navigate({ to: "/settings/webhooks" }) });
  }
  useShortcuts([
    ...go,
    { keys: "mod+k", label: "Go to an article, page or action", group: EVERYWHERE, run: onSearch },
    { keys: "/", label: "Search", group: EVERYWHERE, run: focusSearch },
    { keys: "?", label: "All shortcuts", group: EVERYWHERE, run: openHelp },
  ]);
  return null;
}

/** Finds the page's search field by its type. */
function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>('main input[type="search"]');
  field?.focus();
  field?.select();
}

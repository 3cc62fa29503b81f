/** The actions of the open page, and the pages and websites to go to. */
import { useMantineColorScheme } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { matchesWords } from "../../shared/article-search.ts";
import { type Action, useMay, useSession, useWebsiteOrNull } from "../../shared/session.tsx";
import { CREATING } from "../../shared/use-dialog-in-address.ts";
import { useShortcutList } from "../../shared/shortcuts.tsx";
import { listPages } from "../navigation.ts";
import { useSwitchWebsite } from "../use-switch-website.ts";
import type { Entry } from "./entries.ts";

const MAX_WEBSITES = 8;
/** Shortcuts that the palette has itself, or that act on the focused row. */
const LEFT_OUT = /^(?:g .|mod\+k|\/|Arrow.*|Backspace|x|shift\+x)$/;

export function useCommands(typed: string): { actions: Entry[]; pages: Entry[] } {
  const navigate = useNavigate();
  const website = useWebsiteOrNull();
  const session = useSession();
  const switchTo = useSwitchWebsite();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const mayManageMembers = useMay("members.manage");
  const list = useShortcutList();
  // The shortcuts at the time when the palette was opened.
  const [shortcuts] = useState(() => list().filter(({ keys, disabled }) => !LEFT_OUT.test(keys) && disabled !== true));

  const actions = shortcuts.map(({ keys, label, group }) => ({
    id: `action ${keys}`,
    group: group === "This article" ? group : "Actions",
    label,
    keys,
    // The page may have been rendered again since.
    run: () =>
      list()
        .find((one) => one.keys === keys)
        ?.run(),
  }));
  const may = (action: Action) => website?.can(action) === true;
  const create = (to: "/settings/members" | "/settings/webhooks" | "/settings/api-keys") => () =>
    void navigate({ to, hash: CREATING });
  const commands = [
    { label: "New article", isShown: may("articles.edit"), run: () => void navigate({ to: "/articles/new" }) },
    { label: "Import articles", isShown: may("articles.import"), run: () => void navigate({ to: "/import" }) },
    { label: "Invite a member", isShown: mayManageMembers, run: create("/settings/members") },
    { label: "Create webhook", isShown: may("webhooks.manage"), run: create("/settings/webhooks") },
    { label: "Create API key", isShown: may("keys.manage"), run: create("/settings/api-keys") },
    ...(["light", "dark", "auto"] as const).map((scheme) => ({
      label: `Theme: ${scheme === "auto" ? "system" : scheme}`,
      isShown: scheme !== colorScheme,
      run: () => setColorScheme(scheme),
    })),
  ]
    .filter(({ isShown }) => isShown)
    .map(({ label, run }) => ({ id: `command ${label}`, group: "Create and switch", label, run }));
  const pages = [
    ...listPages(website, session, mayManageMembers).map(({ to, label }) => ({
      id: `page ${to}`,
      group: "Pages",
      label,
      run: () => void navigate({ to }),
    })),
    {
      id: "page account",
      group: "Pages",
      label: "Your account",
      run: () => void navigate({ to: "/settings/account" }),
    },
  ];
  const websites = session.websites
    .filter(({ id, name }) => id !== website?.id && matchesWords(`Switch to ${name}`, typed))
    .slice(0, typed === "" ? 0 : MAX_WEBSITES)
    .map(({ id, name }) => ({
      id: `website ${id}`,
      group: "Create and switch",
      label: `Switch to ${name}`,
      run: () => switchTo(id),
    }));
  const hasShortcut = new Set(actions.map(({ label }) => label));
  const isFit = ({ label }: { label: string }) => matchesWords(label, typed);
  return {
    // Without any text, only what the article allows now; typing finds the rest.
    actions: actions
      .filter((one) => isFit(one) && (typed !== "" || one.group === "This article"))
      // Sorts “Approve” before “Approve and publish”.
      .toSorted((a, b) => (typed === "" ? 0 : a.label.length - b.label.length)),
    pages: [
      ...pages.filter(isFit),
      ...commands.filter((one) => isFit(one) && !hasShortcut.has(one.label)),
      ...websites,
    ],
  };
}

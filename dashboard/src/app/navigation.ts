/** The items of the navigation, and the permissions needed to see them. */
import IconAlertOctagon from "@tabler/icons-react/dist/esm/icons/IconAlertOctagon.mjs";
import IconArticle from "@tabler/icons-react/dist/esm/icons/IconArticle.mjs";
import IconFileImport from "@tabler/icons-react/dist/esm/icons/IconFileImport.mjs";
import IconHistory from "@tabler/icons-react/dist/esm/icons/IconHistory.mjs";
import IconKey from "@tabler/icons-react/dist/esm/icons/IconKey.mjs";
import IconLayoutDashboard from "@tabler/icons-react/dist/esm/icons/IconLayoutDashboard.mjs";
import IconPhoto from "@tabler/icons-react/dist/esm/icons/IconPhoto.mjs";
import IconPlugConnected from "@tabler/icons-react/dist/esm/icons/IconPlugConnected.mjs";
import IconRobot from "@tabler/icons-react/dist/esm/icons/IconRobot.mjs";
import IconRocket from "@tabler/icons-react/dist/esm/icons/IconRocket.mjs";
import IconUsers from "@tabler/icons-react/dist/esm/icons/IconUsers.mjs";
import IconWebhook from "@tabler/icons-react/dist/esm/icons/IconWebhook.mjs";
import IconWorld from "@tabler/icons-react/dist/esm/icons/IconWorld.mjs";
import type { ComponentType } from "react";
import type { WhoAmI } from "../../../src/http/admin/contract/session.ts";
import type { Action, CurrentWebsite } from "../shared/session.tsx";

interface Item {
  to: "/" | "/articles" | "/pictures" | "/import" | "/getting-started" | `/settings/${SettingsPage}`;
  label: string;
  Icon: ComponentType<{ size?: number | string; stroke?: number | string }>;
  /** The permission needed to see the item. */
  may: Action;
  /** Shown without a website, too. */
  isGlobal?: boolean;
  /** Concerns every website: shown only to users with the permission on all of them. */
  isEverywhere?: boolean;
}

type SettingsPage =
  | "api-keys"
  | "access-tokens"
  | "senders"
  | "webhooks"
  | "members"
  | "website"
  | "audit"
  | "dead-letters";

interface Group {
  /** null: the first group has no label. */
  label: string | null;
  items: readonly Item[];
}

export const NAVIGATION: readonly Group[] = [
  {
    label: null,
    items: [
      { to: "/", label: "Overview", Icon: IconLayoutDashboard, may: "articles.read" },
      { to: "/articles", label: "Articles", Icon: IconArticle, may: "articles.read" },
      { to: "/pictures", label: "Pictures", Icon: IconPhoto, may: "articles.read" },
      { to: "/import", label: "Import", Icon: IconFileImport, may: "articles.import" },
      { to: "/getting-started", label: "Getting started", Icon: IconRocket, may: "keys.manage" },
    ],
  },
  {
    label: "Settings",
    items: [
      { to: "/settings/api-keys", label: "API keys", Icon: IconKey, may: "keys.manage" },
      { to: "/settings/access-tokens", label: "Access tokens", Icon: IconRobot, may: "keys.manage" },
      { to: "/settings/senders", label: "Senders", Icon: IconPlugConnected, may: "keys.manage" },
      { to: "/settings/webhooks", label: "Webhooks", Icon: IconWebhook, may: "webhooks.manage" },
      { to: "/settings/members", label: "Members", Icon: IconUsers, may: "members.manage", isGlobal: true },
      { to: "/settings/website", label: "Website", Icon: IconWorld, may: "website.manage" },
      { to: "/settings/audit", label: "Audit log", Icon: IconHistory, may: "audit.read" },
      {
        to: "/settings/dead-letters",
        label: "Failed tasks",
        Icon: IconAlertOctagon,
        may: "webhooks.manage",
        isEverywhere: true,
      },
    ],
  },
];

/** The items that the user may open. `mayManageMembers`: on the current website, or on all if none is chosen. */
export function listPages(
  website: CurrentWebsite | null,
  { everywhere }: Pick<WhoAmI, "everywhere">,
  mayManageMembers: boolean,
  items: readonly Item[] = NAVIGATION.flatMap((group) => group.items),
): Item[] {
  return items.filter(({ may, isGlobal = false, isEverywhere = false }) => {
    if (isEverywhere) return everywhere.permissions.includes(may);
    return isGlobal && website === null ? mayManageMembers : website?.can(may) === true;
  });
}

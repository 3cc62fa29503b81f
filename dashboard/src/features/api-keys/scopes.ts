import type { AccessToken } from "../../../../src/http/admin/contract/access-tokens.ts";

/** What each scope of access tokens allows, in plain words; each includes the ones before. */
export const SCOPES: readonly { scope: AccessToken["scope"]; label: string; description: string }[] = [
  { scope: "read", label: "Read", description: "Reads articles of every state, with their history and comments." },
  {
    scope: "draft",
    label: "Write drafts",
    description: "Also writes, comments and submits for review. A person approves and publishes.",
  },
  {
    scope: "publish",
    label: "Publish",
    description: "Also approves, schedules, publishes, unpublishes and deletes, without a person.",
  },
];

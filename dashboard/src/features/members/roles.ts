/** Each role includes the previous ones. */
import type { Role } from "../../shared/session.tsx";

export const ROLES = [
  { value: "viewer", label: "Viewer", description: "Reads the articles and their history." },
  { value: "editor", label: "Editor", description: "Also writes, edits and imports articles." },
  { value: "approver", label: "Approver", description: "Also approves, publishes, unpublishes and deletes." },
  { value: "owner", label: "Owner", description: "Also manages keys, webhooks, members and settings." },
] as const satisfies readonly { value: Role; label: string; description: string }[];

/** The webhook form's values, and their conversion to settings. */
import { useForm } from "@mantine/form";
import type { Webhook, WebhookInput } from "../../../../src/http/admin/contract/webhooks.ts";

export type WebhookSettings = Omit<WebhookInput, "website_id">;

export const EVENTS = [
  { kind: "article.published", label: "Published", description: "An article is live: for the first time, or again." },
  {
    kind: "article.updated",
    label: "Updated",
    description: "A live article was changed; the message says which fields.",
  },
  { kind: "article.deleted", label: "Deleted", description: "An article was deleted or unpublished." },
] as const;

export const PAYLOADS = [
  { payload: "full", label: "The article", description: "With its content and metadata." },
  {
    payload: "extended",
    label: "The article, and what changed",
    description: "Adds the excerpt, counts, and previous slug, tags and categories, also when an article is deleted.",
  },
  {
    payload: "thin",
    label: "IDs only",
    description: "With the article's API URL. The receiver reads the rest from the API.",
  },
] as const satisfies readonly { payload: Webhook["payload"]; label: string; description: string }[];

/** Fields that show their own errors, by their API names. */
export const FORM_FIELDS = ["name", "description", "url", "events", "headers", "coalesce_ms", "ca"];

export interface Values {
  name: string;
  description: string;
  url: string;
  events: string[];
  payload: Webhook["payload"];
  seconds: string | number;
  headers: { key: string; name: string; value: string }[];
  /** For an existing webhook: removes the saved headers without new ones. */
  dropsHeaders: boolean;
  ca: string;
  dropsCa: boolean;
}

export type WebhookFormState = ReturnType<typeof useWebhookForm>;

export function useWebhookForm(webhook: Webhook | null) {
  const initialValues: Values = {
    name: webhook?.name ?? "",
    description: webhook?.description ?? "",
    url: webhook?.url ?? "",
    events: [...(webhook?.events ?? EVENTS.map(({ kind }) => kind))],
    payload: webhook?.payload ?? "full",
    seconds: (webhook?.coalesce_ms ?? 0) / 1_000,
    headers: [],
    dropsHeaders: false,
    ca: "",
    dropsCa: false,
  };
  return useForm({
    initialValues,
    validate: {
      url: (url) => (url.trim() === "" ? "Enter the URL." : null),
      events: (events) => (events.length === 0 ? "Choose at least one." : null),
      headers: {
        name: (name, { headers }, path) => {
          const own = Number(path.split(".")[1]);
          if (name.trim() === "") return headers[own]?.value === "" ? null : "Enter the name of the header.";
          const first = headers.findIndex((one) => isSameHeader(one.name, name));
          return first === own ? null : "This header is listed already.";
        },
      },
    },
  });
}

/** RFC 9110, section 5.1: header names are case-insensitive. */
function isSameHeader(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase();
}

/** Whether the URL has another origin: then the service removes the saved headers, which may be secrets. */
export function isOtherOrigin(url: string, webhook: Webhook | null): boolean {
  if (webhook === null || !URL.canParse(url.trim()) || !URL.canParse(webhook.url)) return false;
  return new URL(url.trim()).origin !== new URL(webhook.url).origin;
}

/** Secrets of an existing webhook that are left empty stay unchanged. */
export function toSettings(values: Values, webhook: Webhook | null): WebhookSettings {
  const { url, events, payload, seconds, headers, ca } = values;
  const named = headers.filter(({ name, value }) => name.trim() !== "" || value !== "");
  return {
    name: values.name.trim(),
    description: values.description.trim(),
    url: url.trim(),
    events: EVENTS.map(({ kind }) => kind).filter((kind) => events.includes(kind)),
    payload,
    coalesce_ms: Math.round(Number(seconds) * 1_000),
    ...((named.length > 0 || values.dropsHeaders) && {
      headers: Object.fromEntries(named.map(({ name, value }) => [name.trim(), value])),
    }),
    ...(ca.trim() !== "" && { ca }),
    ...(ca.trim() === "" && (webhook === null || values.dropsCa) && { ca: null }),
  };
}

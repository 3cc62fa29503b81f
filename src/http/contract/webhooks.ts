/** The `webhooks` of the description (specification, section 6). */
import { Type } from "typebox";
import { deletedEnvelope, publishedEnvelope, updatedEnvelope } from "./event.ts";
import type { EXAMPLES } from "./examples.ts";

const header = (name: string, description: string, example: string, schema: Type.TSchema = Type.String()) => ({
  name,
  in: "header",
  required: true,
  description,
  schema,
  example,
});

const HEADERS = [
  header("User-Agent", "Who sends it.", "Rostrum-Webhooks/1.0"),
  header(
    "webhook-id",
    "The event's id, the same on every attempt: use it to drop duplicates.",
    "msg_0198a3b9-0d2e-7f40-9a1b-3c5d7e9f0a2b",
  ),
  header("webhook-timestamp", "Unix seconds of this attempt. Refuse what is older than five minutes.", "1772528400"),
  header(
    "webhook-signature",
    "`v1,` and the Base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>` with your endpoint's secret (Standard Webhooks); several with spaces between them while a secret is being rotated.",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ),
];

const DELIVERY =
  "Answer with any 2xx status within 10 seconds. Anything else is tried again, three times at growing intervals. " +
  "After 10 failed deliveries in a row the webhook is disabled. The same event may arrive more than once.";

const receipt = Type.Object({
  platform_url: Type.Optional(Type.String()),
  platform_post_id: Type.Optional(Type.String()),
});

function webhook(
  operationId: string,
  summary: string,
  schema: Type.TSchema,
  example: keyof typeof EXAMPLES,
  takesReceipt: boolean,
) {
  const received = takesReceipt
    ? {
        description:
          "Received. A JSON answer may say where the article stands now; the API then delivers that as `platform_url` and `platform_post_id`.",
        content: {
          "application/json": {
            schema: receipt,
            example: {
              platform_url: "https://www.example.com/blog/brew-first-flush-darjeeling",
              platform_post_id: "1090",
            },
          },
        },
      }
    : { description: "Received." };
  return {
    post: {
      operationId,
      tags: ["Webhooks"],
      summary,
      description: DELIVERY,
      security: [],
      parameters: HEADERS,
      requestBody: {
        required: true,
        content: {
          "application/json": { schema, examples: { [example]: { $ref: `#/components/examples/${example}` } } },
        },
      },
      responses: { "2XX": received, default: { description: "Not received: it is tried again." } },
    },
  };
}

export const WEBHOOKS = {
  "article.published": webhook("articlePublished", "An article was published", publishedEnvelope, "published", true),
  "article.updated": webhook("articleUpdated", "A published article was changed", updatedEnvelope, "updated", true),
  "article.deleted": webhook(
    "articleDeleted",
    "An article was deleted or taken down",
    deletedEnvelope,
    "deleted",
    false,
  ),
};

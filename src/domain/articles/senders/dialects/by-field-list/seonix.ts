import type { Dialect } from "../../dialect.ts";

export const seonix: Dialect = {
  kind: "seonix",
  name: "Seonix",
  secretFrom: "rostrum",
  credentials: [{ by: "bearer" }],
  id: ["external_id"],
  isTried: false,
  setup:
    "In Seonix, add a custom API: the address as its endpoint, the secret as its token, and the address with /:id after it as the URL of deletions.",
  // It deletes by the id that it was answered.
  reply: { body: { id: "$external_id", url: "$url" } },
};

import type { Dialect } from "../../dialect.ts";

export const writesonicWordPress: Dialect = {
  kind: "writesonic-wordpress",
  name: "Writesonic (as a WordPress site)",
  secretFrom: "rostrum",
  credentials: [{ by: "header", name: "Token" }],
  // It sends back the id that it was answered.
  id: ["id", "slug"],
  text: "html",
  isTried: false,
  setup:
    "In Writesonic, connect a WordPress site by its plugin: the address as the address of the site, and the secret as its key.",
  reply: { status: 201, body: { id: "$external_id", slug: "$slug", link: "$url", status: "draft" } },
};

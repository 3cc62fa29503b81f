import type { Dialect } from "../../dialect.ts";

export const babyLoveGrowthWordPress: Dialect = {
  kind: "babylovegrowth-wordpress",
  name: "BabyLoveGrowth (as a WordPress site)",
  secretFrom: "rostrum",
  credentials: [{ by: "header", name: "X-API-Key" }, { by: "bearer" }],
  id: ["slug"],
  isTried: false,
  setup:
    "In BabyLoveGrowth, connect a WordPress site: the address as the address of the site, and the secret as its key. Its webhook is a kind of its own, and the better choice.",
  reply: { body: { success: true, post_id: "$id", link: "$url" } },
  testReply: { body: { ok: true } },
};

/** All kinds of senders, those for any product first. */
import type { Dialect } from "./dialect.ts";
import { BY_FIELD_LIST } from "./dialects/by-field-list.ts";
import { arvow } from "./dialects/tried/arvow.ts";
import { babylovegrowth } from "./dialects/tried/babylovegrowth.ts";
import { blogaizer } from "./dialects/tried/blogaizer.ts";
import { blogamplify } from "./dialects/tried/blogamplify.ts";
import { blogbotz } from "./dialects/tried/blogbotz.ts";
import { getMyWebRank } from "./dialects/tried/getmywebrank.ts";
import { journalistAi } from "./dialects/tried/journalist-ai.ts";
import { letterdrop } from "./dialects/tried/letterdrop.ts";
import { lovarank } from "./dialects/tried/lovarank.ts";
import { makeN8n } from "./dialects/tried/make-n8n.ts";
import { neverdrafts } from "./dialects/tried/neverdrafts.ts";
import { outrank } from "./dialects/tried/outrank.ts";
import { rankpill } from "./dialects/tried/rankpill.ts";
import { rankyak } from "./dialects/tried/rankyak.ts";
import { seo45 } from "./dialects/tried/seo45.ts";
import { seocraftai } from "./dialects/tried/seocraftai.ts";
import { seoladders } from "./dialects/tried/seoladders.ts";
import { soogle } from "./dialects/tried/soogle.ts";
import { stackserp } from "./dialects/tried/stackserp.ts";
import { storychief } from "./dialects/tried/storychief.ts";

/** For products without a dialect of their own. */
export const ANY_KIND: Dialect = {
  kind: "generic",
  name: "Anything else",
  secretFrom: "rostrum",
  credentials: [
    { by: "bearer" },
    { by: "bearer", scheme: null },
    { by: "basic" },
    { by: "path" },
    ...["X-Webhook-Secret", "X-API-Key"].map((name) => ({ by: "header" as const, name })),
    ...["X-Webhook-Signature", "X-Signature"].flatMap((header) => [
      { by: "hmac" as const, header },
      { by: "hmac" as const, header, prefix: "sha256=" },
    ]),
  ],
  isTried: true,
  setup:
    "Let it send each article as JSON by POST to the address, with the secret as a bearer token, as the header X-Webhook-Secret or X-API-Key, or as the last part of the address (ADDRESS/SECRET); or let it sign the body by HMAC-SHA256 in X-Webhook-Signature.",
  // What most products look for in an answer, under each of the names that they use.
  reply: {
    body: {
      success: true,
      message: "$message",
      id: "$id",
      post_id: "$id",
      url: "$url",
      post_url: "$url",
      link: "$url",
      duplicate: "$duplicate",
    },
  },
  sample: {
    body: {
      id: "1001",
      title: "Why sourdough needs no yeast from a shop",
      slug: "sourdough-without-yeast",
      content: "<p>Flour brings its own.</p><h2>Feed it</h2><p>Once a day, with as much flour as water.</p>",
      meta_description: "Flour and water are enough.",
      featured_image: "https://pictures.example/sourdough.jpg",
      tags: ["baking", "sourdough"],
    },
  },
};

/** Clients of WordPress' REST API, with an application password. */
const wordpress: Dialect = {
  kind: "wordpress",
  name: "Anything that publishes to WordPress",
  protocol: "wordpress",
  secretFrom: "rostrum",
  credentials: [{ by: "basic" }],
  isTried: true,
  setup:
    "Connect it as a WordPress site: the address as the site's URL, any user name, and the secret as the Application Password.",
  reply: { body: {} },
};

/** Clients of Ghost's Admin API, with an Admin API key. */
const ghost: Dialect = {
  kind: "ghost",
  name: "Anything that publishes to Ghost",
  protocol: "ghost",
  secretFrom: "rostrum",
  credentials: [
    ghostToken("/admin/"),
    ...["v4", "v3", "v2", "canary"].map((version) => ghostToken(`/${version}/admin/`)),
  ],
  isTried: true,
  setup: "Connect it as a Ghost site: the address as the API URL, and the secret as the Admin API key.",
  reply: { body: {} },
};

const TRIED: readonly Dialect[] = [
  arvow,
  babylovegrowth,
  blogaizer,
  blogamplify,
  blogbotz,
  getMyWebRank,
  journalistAi,
  letterdrop,
  lovarank,
  makeN8n,
  neverdrafts,
  outrank,
  rankpill,
  rankyak,
  seo45,
  seocraftai,
  seoladders,
  soogle,
  stackserp,
  storychief,
];

export const DIALECTS: readonly Dialect[] = [ANY_KIND, wordpress, ghost, ...TRIED, ...BY_FIELD_LIST];

function ghostToken(audience: string) {
  return { by: "jwt" as const, scheme: "Ghost", audience, maxAgeSeconds: 300 };
}

export function findDialect(kind: string): Dialect | undefined {
  return DIALECTS.find((dialect) => dialect.kind === kind);
}

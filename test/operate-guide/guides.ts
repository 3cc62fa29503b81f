/** Every guide with commands, in the order in which they are followed: what the README starts serves those after it. */
import type { Block } from "./blocks.ts";
import { SITES } from "./sites.ts";
import { type Guide, OPERATE, README } from "./table.ts";

/** Placeholders of an owner's access token and of an article. */
const management = (scope: string) =>
  `cd /srv/rostrum; export URL=http://127.0.0.1:4000/api/management SECRET="$(npx rostrum token create --website "My website" --name Trial --scope ${scope} --json | json_field token)"`;
const asksManagement = 'curl -s -H "Authorization: Bearer $SECRET"';
/** Article and version for the next request. */
const drafted = `export ID="$(${asksManagement} "$URL/articles?state=draft&tag=tea" | json_field id)"
export TAG="$(${asksManagement} "$URL/articles/$ID" | json_field etag)"`;
const filledIn = { "TOKEN=rm_…": "TOKEN=$SECRET", "'If-Match: \"12-0\"'": '"If-Match: \\"$TAG\\""' };
/** The command as it is where the package is installed. */
const INSTALLED =
  'mkdir -p /srv/bin; ln -sfn /srv/rostrum/bin/rostrum.js /srv/bin/rostrum; export PATH="/srv/bin:$PATH"; cd /srv/rostrum';
const webhook = 'export WEBHOOK="$(npx rostrum webhook list --website "My website" --json | json_field id)"';
const sender = (kind: string) =>
  `npx rostrum sender create --website "My website" --kind ${kind} --name "For a trial" --json > /tmp/sender`;

export const GUIDES: readonly Guide[] = [
  README,
  ...SITES,
  {
    document: "docs/api.md",
    trials: [
      {
        block: "export ROSTRUM_URL",
        before: ['export KEY="$(new_key)"; cd /srv/rostrum'],
        replace: { "rs_…   # as printed": "$KEY" },
      },
      {
        block: 'curl -H "X-API-Key: $ROSTRUM_API_KEY" "$ROSTRUM_URL/api/public/articles?limit=3"',
        prints: [/"articles":\[\{/],
      },
      {
        block: "npx rostrum key create",
        before: ['export WEBSITE="$(npx rostrum website list --json | json_field id)"'],
        replace: { WEBSITE_ID: "$WEBSITE" },
        prints: [/rs_\w+/],
      },
      { block: 'curl -H "X-API-Key: $ROSTRUM_API_KEY" "$ROSTRUM_URL/api/public/articles?q=tea', prints: [/"total":0/] },
      { block: 'curl -H "X-API-Key: $ROSTRUM_API_KEY" \\', prints: [/"content":"/] },
      { block: "ID=$(curl", prints: [/"content":"/] },
      {
        block: 'curl -H "X-API-Key: $ROSTRUM_API_KEY" -H "X-Preview-Token: $TOKEN"',
        before: [
          [
            "npx rostrum website preview-address 'My website' 'https://example.com/preview?id={id}&token={token}'",
            "export ID=$(article_id)",
            "export TOKEN=$(npx rostrum article preview $ID | grep -o 'token=[A-Za-z0-9_-]*' | cut -d= -f2)",
          ].join("\n"),
        ],
        prints: [/"content":"/],
      },
      { block: "ETAG=$(curl", prints: [/HTTP\/1.1 304 Not Modified/] },
    ],
  },
  {
    document: "docs/management-api.md",
    trials: [
      { block: "npx rostrum token create", before: ["cd /srv/rostrum"], prints: [/rm_\w+/] },
      {
        block: "export URL=",
        before: [management("draft"), "true", "true", drafted],
        replace: filledIn,
        prints: [/"state":"draft"/, /"total":1/, /"state":"in_review"/],
      },
      {
        block: 'curl -X PATCH "$URL/articles/$ID"',
        before: [`export TAG="$(${asksManagement} "$URL/articles/$ID" | json_field etag)"`],
        replace: filledIn,
        prints: [/"tags":\["tea","oolong"\]/],
      },
      { block: 'curl -X PUT "$URL/articles/by-external-id/tea-1"', prints: [/"outcome":"created"/] },
      { block: "printf '%s\\n'", prints: [/"outcome":"updated"/, /"outcome":"failed"/, /"kind":"summary"/] },
      {
        block: 'curl "$URL/feedback',
        before: [`export NEXT="$(${asksManagement} "$URL/feedback" | json_field next)"`],
        prints: [/"feedback":\[/],
      },
      { block: 'curl "$URL/articles" -H', prints: [/"title":"Sencha"/] },
    ],
  },
  {
    document: "docs/ingest.md",
    trials: [
      {
        block: "npx rostrum import ./content/posts",
        before: ["cd /srv/rostrum; cp -r ~/blog/content ~/wordpress.xml ."],
        prints: [/unchanged/],
      },
      {
        block: "curl -X PUT http://127.0.0.1:4000/api/management",
        before: [management("draft")],
        replace: { "rm_…": "$SECRET" },
        prints: [/"title":"Oolong"/],
      },
      {
        block: "rostrum push content",
        before: [`${INSTALLED}; printf %s "$SECRET" > token`],
        replace: { "https://articles.example.com": "http://127.0.0.1:4000" },
        after: "cd /srv/rostrum && rm -r content wordpress.xml token",
      },
    ],
  },
  {
    document: "docs/import.md",
    trials: [
      {
        block: "npx rostrum import export.zip",
        before: ["cd ~/blog && python3 -m zipfile -c /srv/rostrum/export.zip content && cd /srv/rostrum"],
        after: "rm /srv/rostrum/export.zip",
      },
      {
        block: "npx rostrum export",
        after: "cd /srv/rostrum && grep -q Hello blog.xml && grep -q Hello blog.json && rm blog.* redirects.*",
      },
    ],
  },
  {
    document: "docs/senders.md",
    trials: [
      {
        block: "npx rostrum sender kinds",
        before: ["cd /srv/rostrum; openssl rand -hex 32 > secret.txt"],
        replace: {
          "rotate ID": `rotate "$(npx rostrum sender list --website "My website" --json | grep -o '"id":"[^"]*"[^{}]*"RankPill"' | json_field id)"`,
        },
        after: "rm /srv/rostrum/secret.txt",
      },
      {
        block: "ADDRESS=",
        before: [
          `${sender("generic")}; export SENDER=$(json_field id < /tmp/sender) URL=$(json_field url < /tmp/sender) SECRET=$(json_field secret < /tmp/sender)`,
        ],
        replace: { "http://127.0.0.1:4000/senders/5f…": "$URL; export ADDRESS" },
        prints: [/"message":"Received for review."/],
      },
      { block: "BODY=", prints: [/"success":true/] },
      { block: "curl -X POST $ADDRESS/$SECRET", prints: [/"success":true/] },
      { block: 'curl -X POST $ADDRESS -H "Authorization: Bearer $SECRET"', prints: [/"success":true/] },
      {
        block: "npx rostrum sender arrivals",
        before: [
          `curl -s -X POST $ADDRESS -H "Authorization: Bearer $SECRET" -H "Content-Type: application/json" -d '{"article": {"title": "No text"}}'; sleep 3\n` +
            "export ARRIVAL=$(npx rostrum sender arrivals $SENDER --json | json_field id)",
        ],
        replace: { "arrivals ID": "arrivals $SENDER", "run-again ARRIVAL": "run-again $ARRIVAL || true" },
        // It still has no text.
        prints: [/needs_attention/],
      },
    ],
  },
  {
    document: "docs/webhooks.md",
    trials: [
      {
        block: "npx rostrum webhook create",
        before: ["cd /srv/rostrum", webhook],
        // The address does not exist here.
        replace: { "webhook test 01a1fd3e-…": "webhook test $WEBHOOK || true", "www.example.com": "example.com" },
        prints: [/whsec_/],
      },
      {
        block: "npx rostrum webhook enable",
        // Each is for a webhook that is not enabled.
        replace: {
          "npx rostrum webhook enable 01a1fd3e-…":
            "npx rostrum webhook pause $WEBHOOK && npx rostrum webhook enable $WEBHOOK",
        },
      },
      { block: "npx rostrum webhook rotate", replace: { "01a1fd3e-…": "$WEBHOOK" }, prints: [/whsec_/] },
      {
        block: "npx rostrum webhook listen",
        before: ["new_key > key.txt"],
        isService: true,
        prints: [/whsec_/],
        after: "rm /srv/rostrum/key.txt",
      },
      {
        block: "npx rostrum article unpublish",
        before: ["export ARTICLE=$(article_id)"],
        replace: { "01a1fd3e-…": "$ARTICLE" },
      },
    ],
  },
  {
    document: "docs/review-records.md",
    trials: [
      {
        block: "rostrum website responsible",
        before: [`${INSTALLED}; rostrum website create --name "My blog" --url https://example.com`],
      },
    ],
    untried: [
      {
        block: "curl -H",
        why: "only an approval in the dashboard makes a record; test/cli/review-records.test.ts checks one",
      },
    ],
  },
  {
    document: "docs/agents.md",
    trials: [{ block: "rostrum token create", before: [INSTALLED], prints: [/rm_\w+/] }],
    untried: [
      { block: "claude mcp add", why: "another program; test/agents speaks as its clients do" },
      { block: "codex mcp add", why: "another program; test/agents speaks as its clients do" },
      { block: "rostrum mcp", why: "an agent starts it; test/agents does" },
    ],
  },
  {
    document: "docs/scale.md",
    trials: [{ block: "npm run simulate-scale", before: ["cd /srv/rostrum"], prints: [/processes/] }],
  },
  {
    document: "docs/versions.md",
    trials: [],
    untried: [
      { block: "sha256sum --check", why: "there is no release; test/release makes and checks its files" },
      { block: "git checkout v0.1.0", why: "there is no release; test/release builds a commit twice" },
    ],
  },
  OPERATE,
];

/** @returns the problems of the tables: blocks without an entry, and names that match no block of their document or several. */
export function findGaps(blocks: readonly Block[]): string[] {
  const named = GUIDES.flatMap(({ document, trials, untried = [] }) =>
    [...new Set([...trials, ...untried].map(({ block }) => block))].map((name) => ({ document, name })),
  );
  const matches = (block: Block, { document, name }: (typeof named)[number]) =>
    block.document === document && block.text.startsWith(name);
  return [
    ...blocks
      .filter((block) => named.filter((entry) => matches(block, entry)).length !== 1)
      .map(({ document, line, name }) => `mapped not once: ${document}:${line} ${name}`),
    ...named
      .filter((entry) => blocks.filter((block) => matches(block, entry)).length !== 1)
      .map(({ document, name }) => `of no block, or of several: ${document} ${name}`),
  ];
}

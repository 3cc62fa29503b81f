/** What is wrong with TLS to PostgreSQL is said in one sentence, by commands, the service and doctor; reads are 503. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { makeAuthority, makeCertificate, type Certificate } from "../helpers/certificates.ts";
import { runCli } from "../helpers/cli.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { record, records } from "../helpers/http.ts";
import { startPostgres } from "../helpers/postgres.ts";
import type { PostgresServer } from "../helpers/postgres-server.ts";
import { LIST, startTestService } from "../helpers/service.ts";
import { until } from "../helpers/until.ts";

const authority = makeAuthority("Our CA");
const GOOD = makeCertificate({ hosts: ["127.0.0.1"], issuer: authority });

let server: PostgresServer;
let folder: Folder;
let database: string;

before(async () => {
  folder = await tempFolder();
  server = await startPostgres();
  database = await server.createDatabase();
  writeFileSync(folder.at("ca.pem"), authority.cert);
  writeFileSync(folder.at("nonsense.pem"), "-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n");
});
after(async () => {
  await server[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

async function setting(name: string): Promise<string> {
  return String((await server.query(`show ${name}`))[0]?.[name]);
}

/** null turns TLS off. */
async function serveWith(certificate: Certificate | null): Promise<void> {
  if (certificate !== null) {
    const data = await setting("data_directory");
    for (const [name, text] of Object.entries(certificate)) {
      const lines = `select unnest(string_to_array('${text.trim()}', chr(10)))`;
      await server.query(`copy (${lines}) to program 'umask 077; cat > ${data}/tls.${name}'`);
    }
    await server.query("alter system set ssl_cert_file = 'tls.cert'");
    await server.query("alter system set ssl_key_file = 'tls.key'");
  }
  await server.query(`alter system set ssl = ${certificate === null ? "off" : "on"}`);
  const loadedAt = async () => (await server.query("select pg_conf_load_time()::text as at"))[0]?.["at"];
  const before = await loadedAt();
  await server.query("select pg_reload_conf()");
  await until("the server has read its settings", async () => (await loadedAt()) !== before);
}

const verified = () => `${database}?sslmode=verify-full&sslrootcert=${folder.at("ca.pem")}`;

interface Case {
  certificate: Certificate | null;
  url?: () => string;
  sentence: RegExp;
}

const CASES: Record<string, Case> = {
  "the server has no TLS": {
    certificate: null,
    sentence: /^PostgreSQL's server has no TLS: .+ sslmode in DATABASE_URL\.$/,
  },
  "its certificate is signed by itself": {
    certificate: makeCertificate({ hosts: ["127.0.0.1"] }),
    sentence:
      /^PostgreSQL's certificate is signed by no authority that DATABASE_URL trusts \(.+\): .+ sslrootcert.+\.$/,
  },
  "its authority is not named": {
    certificate: GOOD,
    url: () => `${database}?sslmode=verify-full`,
    sentence:
      /^PostgreSQL's certificate is signed by no authority that DATABASE_URL trusts \(.+\): .+ sslrootcert.+\.$/,
  },
  "its certificate is for another name": {
    certificate: makeCertificate({ hosts: ["db.example"], issuer: authority }),
    sentence: /^PostgreSQL's certificate is for another name \(.+\): .+\.$/,
  },
  "its certificate has expired": {
    certificate: makeCertificate({ hosts: ["127.0.0.1"], issuer: authority, days: -1 }),
    sentence: /^PostgreSQL's certificate has expired: renew it on the server\.$/,
  },
  "the file of the authority is missing": {
    certificate: GOOD,
    url: () => `${database}?sslmode=verify-full&sslrootcert=${folder.at("missing.pem")}`,
    sentence: /^A file that DATABASE_URL names cannot be read \(.+missing\.pem.*\): .+\.$/,
  },
  "the file of the authority holds no certificate": {
    certificate: GOOD,
    url: () => `${database}?sslmode=verify-full&sslrootcert=${folder.at("nonsense.pem")}`,
    sentence: /^TLS to PostgreSQL fails \(.+\): .+\.$|^PostgreSQL's certificate is signed by no authority/,
  },
};

describe("TLS to PostgreSQL is explained in one sentence", () => {
  for (const [name, { certificate, url = verified, sentence }] of Object.entries(CASES)) {
    test(`if ${name}`, async () => {
      await serveWith(certificate);
      const options = { data: folder.at("data"), cwd: folder.path, env: { DATABASE_URL: url(), PORT: "0" } };
      const results = await Promise.all([["website", "list"], ["serve"]].map((command) => runCli(command, options)));
      for (const { code, stderr } of results) {
        assert.equal(code, 69, stderr);
        assert.match(stderr.trimEnd(), sentence);
      }
      const { code, stdout } = await runCli(["doctor", "--json"], options);
      assert.equal(code, 69, stdout);
      const found = records(record(JSON.parse(stdout))["findings"]).find(({ check }) => check === "database");
      assert.match(String(found?.["detail"]), sentence);
    });
  }

  test("with the right certificate it is used, and one that expires makes reads 503", async () => {
    await serveWith(GOOD);
    await using service = await startTestService({ DATABASE_URL: verified() });
    assert.equal((await service.get(LIST)).status, 200);
    await serveWith(makeCertificate({ hosts: ["127.0.0.1"], issuer: authority, days: -1 }));
    await server.terminateConnections();
    let status = 200;
    await until("a read fails", async () => ({ status } = await service.get(LIST)).status !== 200);
    assert.equal(status, 503);
    assert.equal((await service.get("/readyz")).status, 503);
    await serveWith(GOOD);
    await until("it is ready", async () => (await service.get("/readyz")).status === 200);
  });
});

/** `import --copy-images`: pictures that are elsewhere on the web become the website's. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { runCli } from "../helpers/cli-in-process.ts";
import { tempFolder } from "../helpers/folder.ts";
import { type Json, record, records } from "../helpers/http.ts";
import { png } from "../helpers/pictures.ts";
import { makeSite } from "../helpers/site.ts";
import { LOOPBACK } from "../helpers/webhooks.ts";

const BASE = "https://articles.example.com";

test("remote pictures are copied once, their addresses replaced, failures reported and tried again", async () => {
  await using folder = await tempFolder();
  const data = folder.at("data");
  const { website } = await makeSite(data);
  const asked: string[] = [];
  let isRepaired = false;
  const far = createServer((request, response) => {
    const url = request.url ?? "";
    asked.push(url);
    if (url === "/page.png") response.setHeader("Content-Type", "text/html").end("<script>");
    else if (url === "/inside.png") response.writeHead(302, { Location: "http://169.254.169.254/secret.png" }).end();
    else if (url === "/later.png" && !isRepaired) response.writeHead(503).end();
    else response.setHeader("Content-Type", "image/png").end(png(url.length, 3));
  });
  far.listen(0, "127.0.0.1");
  await once(far, "listening");
  try {
    const host = `http://127.0.0.1:${(far.address() as AddressInfo).port}`;
    const article = [
      `---\ntitle: A\nfeatured_image: ${host}/main.png\n---`,
      `![One](${host}/one.png?size=2) [![nested](${host}/two.png)](${host}/link.png) [only a link](${host}/link.png)`,
      `<img alt="a > b" srcset="${host}/big.png 2x" src="${host}/one.png?size=2"> ![later](${host}/later.png)`,
      `![page](${host}/page.png) ![inside](${host}/inside.png) ![private](http://10.1.2.3/x.png)`,
    ];
    writeFileSync(folder.at("a.md"), article.join("\n\n"));
    const run = async (...more: string[]): Promise<Json> => {
      const args = ["import", folder.at("a.md"), "--website", website, "--json", ...more];
      return record((await runCli(args, { data, env: { ROSTRUM_PUBLIC_URL: BASE, ...LOOPBACK } })).json());
    };
    const readText = async () => {
      const exported = await runCli(["export", "--website", website], { data });
      return String(record(JSON.parse(exported.stdout))["markdown"]);
    };

    const done = await run("--copy-images");
    assert.equal(done["created"], 1);
    assert.equal(done["pictures_copied"], 3);
    const skipped = records(done["skipped"]).map(({ source }) => String(source).replace(host, ""));
    assert.deepEqual(
      skipped.toSorted(),
      ["/inside.png", "/later.png", "/page.png", "http://10.1.2.3/x.png"].toSorted(),
    );
    const isPrivate = records(done["skipped"]).filter(({ reason }) => String(reason).includes("a private address"));
    assert.deepEqual(
      isPrivate.map(({ source }) => String(source).replace(host, "")),
      ["/inside.png", "http://10.1.2.3/x.png"],
    );
    const text = await readText();
    assert.equal(text.split(`${BASE}/assets/${website}/`).length - 1, 3, text);
    assert.ok(text.includes(`[only a link](${host}/link.png)`), "links stay");
    assert.ok(text.includes(`](${host}/later.png)`), "what could not be copied stays");
    assert.doesNotMatch(text, /srcset|big\.png/);
    assert.equal(asked.filter((url) => url.startsWith("/one.png")).length, 1);
    assert.ok(!asked.includes("/link.png"));

    isRepaired = true;
    asked.length = 0;
    assert.equal((await run("--copy-images"))["updated"], 1);
    assert.deepEqual(
      asked.filter((url) => !["/page.png", "/inside.png"].includes(url)),
      ["/later.png"],
    );
    assert.equal((await readText()).split(`${BASE}/assets/${website}/`).length - 1, 4);
    assert.equal((await run("--copy-images"))["unchanged"], 1);
    const args = ["import", folder.at("a.md"), "--website", website];
    const printed = await runCli([...args, "--copy-images"], { data, env: { ROSTRUM_PUBLIC_URL: BASE, ...LOOPBACK } });
    assert.match(
      printed.stdout,
      /^0 created, 0 updated, 1 unchanged, 0 held, 0 failed, 3 skipped\. 0 pictures copied\.$/m,
    );
    assert.ok(!("pictures_copied" in (await run())));
  } finally {
    far.close();
    far.closeAllConnections();
  }
});

/** The library of pictures is searched, and takes pictures from addresses on the web. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { type Json, record, records } from "../helpers/http.ts";
import { png } from "../helpers/pictures.ts";
import { openTeam, type Team } from "../helpers/team.ts";
import { LOOPBACK } from "../helpers/webhooks.ts";

let team: Team;
before(async () => {
  team = await openTeam(LOOPBACK);
});
after(async () => {
  await team[Symbol.asyncDispose]();
  team.assertNoneFailed();
});

const inWebsite = () => `website_id=${team.service.website.id}`;

async function add(name: string, alt: string, width: number): Promise<Json> {
  const query = `${inWebsite()}&name=${name}&alt=${encodeURIComponent(alt)}`;
  return record((await team.editor.sendFile(`/assets?${query}`, png(width, 9))).json());
}

async function find(search: string, more = ""): Promise<string[]> {
  const query = `${inWebsite()}&q=${encodeURIComponent(search)}${more}`;
  return records((await team.editor.json("GET", `/assets?${query}`))["assets"]).map(({ name }) => String(name));
}

test("pictures are found by words of their names and alternative texts, and by their addresses", async () => {
  await add("kettle.png", "Ein roter Kessel, ÄPFEL daneben", 31);
  await add("cup.png", "A blue cup", 32);
  const pot = await add("teapot.png", "", 33);
  assert.deepEqual(await find("KETTLE"), ["kettle.png"]);
  assert.deepEqual(await find(" äpfel  rot "), ["kettle.png"]);
  assert.deepEqual(await find("kettle cup"), []);
  assert.deepEqual(await find("png"), ["teapot.png", "cup.png", "kettle.png"]);
  assert.deepEqual(await find("png", "&unused=true"), ["teapot.png", "cup.png", "kettle.png"]);
  assert.deepEqual(await find(`${String(pot["url"])}?w=640`), ["teapot.png"]);
  assert.deepEqual(await find(`https://cdn.example.com${String(pot["path"])}`), ["teapot.png"]);
});

test("a picture elsewhere on the web is copied once, and what cannot be fetched is refused with the reason", async () => {
  let asked = 0;
  const host = createServer(({ url }, response) => {
    asked += 1;
    if (url === "/a%20boat.png") response.writeHead(200, { "Content-Type": "image/png" }).end(png(12, 9));
    else response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await once(host, "listening");
  try {
    const base = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
    const copy = (url: string) =>
      team.editor.send("POST", "/assets/from-address", { website_id: team.service.website.id, url, alt: "A boat" });
    const first = record((await copy(`${base}/a%20boat.png`)).json());
    assert.equal(first["name"], "a-boat.png");
    assert.equal(first["alt"], "A boat");
    assert.equal(first["source_url"], `${base}/a%20boat.png`);
    assert.equal(record((await copy(`${base}/a%20boat.png#top`)).json())["id"], first["id"]);
    assert.equal(asked, 1);
    const refused = async (url: string, reason: RegExp) => {
      const reply = await copy(url);
      assert.equal(reply.status, 400);
      assert.match(String(record(reply.json())["message"]), reason);
    };
    await refused(`${base}/gone.png`, /could not be fetched/);
    await refused("http://10.0.0.1/a.png", /private address/);
    await refused("kettle.png", /Enter the address/);
  } finally {
    host.closeAllConnections();
    host.close();
  }
});

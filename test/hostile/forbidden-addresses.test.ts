/** Whatever a customer writes as a webhook's URL, and whatever its DNS answers, nothing inside is ever connected to. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, isIP, type Server } from "node:net";
import { after, before, describe, test } from "node:test";
import { AppError } from "../../src/domain/system/errors.ts";
import { AddressGuard, BlockedAddressError, parseCidrs } from "../../src/webhooks/net/ssrf-guard.ts";
import { cases, fc } from "../helpers/properties.ts";

let server: Server;
let port: number;
let connects = 0;

before(async () => {
  server = createServer((socket) => {
    connects++;
    socket.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});
after(async () => {
  server.close();
  await once(server, "close");
});

const words = (text: string) => text.split(/\s+/).filter((word) => word !== "");

/** Hosts whose number is forbidden, however it is written: refused without asking DNS. */
const LITERALS: Record<string, string> = {
  "loopback, in the spellings of old": `
    127.0.0.1 127.0.0.1. 127.1 127.0.1 127.1. 127.255.255.254 127.0.0.53 127.127.127.127 2130706433 2130706433. 0x7f000001
    0X7F000001 0x7f000001. 0x7F.1 0x7f.0.0.1 0x7f.0x0.0x0.0x1 0177.1 0177.0.0.1 0177.0.0.01 00000000177.1 017700000001
    0x00000000007f000001 127.0x1 127.0x0.1 127.0.0x1 0x7f.0.1 0177.0x1 127.00000000000001 127.16777215 0x7fffffff
    127.0x 0177.0.0x.1`,
  "loopback, in other letters and encodings": `
    １２７.０.０.１ 127。0。0。1 127．0．0．1 127｡0｡0｡1 ①②⑦.⓪.⓪.① 𝟏𝟐𝟕.𝟎.𝟎.𝟏 𝟙𝟚𝟟.𝟘.𝟘.𝟙 ０x7f.1 ０ｘ７ｆ．１ ²¹³⁰⁷⁰⁶⁴³³ １２７。１ 127.0.0.¹
    %31%32%37.0.0.1 127%2e0%2e0%2e1 %30%78%37%66.1 %EF%BC%91%EF%BC%92%EF%BC%97.0.0.1 127.0.0%E3%80%821 127.0.0.1%2e
    127.0.0\u00ad.1 127.0.0\u200b.1`,
  "this network, which is this host": "0 0. 0.0.0.0 00 0x 0x0 0.1 0.0.0.1 0.255.255.255 000.000.000.000 ０ %30",
  "private networks": `
    10.0.0.0 10.0.0.1 10.1 10.255.255.255 167772161 0xa000001 012.0.0.1 0xa.1 172.16.0.0 172.16.0.1 172.31.255.255 172.16.1
    0xac.0x10.1 0254.020.1 2886729729 192.168.0.1 192.168.1 192.168.255.255 3232235521 0xc0a80001 0300.0250.1 0xC0.168.1`,
  "link-local, with the clouds' settings": `
    169.254.0.0 169.254.169.254 169.254.170.2 169.254.170.23 169.254.255.255 2852039166 0xa9fea9fe 0xA9.254.0xa9.0376
    0251.0376.0251.0376 169.16689662 169.254.43518 １６９.２５４.１６９.２５４ %31%36%39.254.169.254 169.254.169.254.`,
  "other addresses for special use": `
    100.64.0.0 100.64.0.1 100.100.100.200 100.127.255.255 192.0.0.1 192.0.0.8 192.0.0.170 192.0.0.192 192.0.2.1 198.18.0.1
    198.19.255.255 198.51.100.1 203.0.113.9 192.88.99.1 192.31.196.1 192.52.193.1 192.175.48.1 168.63.129.16 2822734096
    0xa83f8110 168.63.33040`,
  "multicast, reserved, broadcast": `
    224.0.0.0 224.0.0.1 239.255.255.250 239.255.255.255 0xe0000001 240.0.0.0 240.0.0.1 254.255.255.255 255.255.255.254
    255.255.255.255 4294967295 0xffffffff 037777777777 255.16777215`,
  "IPv6 of the host and the link": `
    [::] [::0] [0:0:0:0:0:0:0:0] [::1] [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] [::0001] [::0.0.0.1] [0::1]
    [fe80::] [fe80::1] [FE80::1] [fe80::a9fe:a9fe] [febf:ffff::1] [fec0::1] [feff::1]`,
  "IPv6 of private networks, multicast and special use": `
    [fc00::] [fc00::1] [fd00::1] [fd00:ec2::254] [fd00:ec2::23] [fd20:ce::254] [fdff:ffff::1] [ff00::] [ff01::1] [ff02::1]
    [ff05::1:3] [ff0e::1] [100::] [100::1] [100:0:0:1::1] [2001:2::1] [2001:3::1] [2001:4:112::1] [2001:10::1] [2001:1f::1]
    [2001:20::1] [2001:2f::1] [2001:30::1] [2001:1::1] [2001:5::1] [2001:1ff::1] [2001:db8::1] [2001:db8:ffff::1] [3fff::1]
    [3fff:fff::1] [5f00::1] [2620:4f:8000::1]`,
  "IPv6 that nobody has been given":
    "[200::1] [1::1] [400::1] [1fff:ffff::1] [4000::1] [6000::1] [8000::1] [e000::1] [fe00::1]",
  "IPv4 inside IPv6": `
    [::ffff:127.0.0.1] [::FFFF:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:127.0.0.1] [0:0:0:0:0:ffff:7f00:0001] [::ffff:0:0]
    [::ffff:10.0.0.1] [::ffff:a9fe:a9fe] [::ffff:169.254.169.254] [::ffff:192.168.0.1] [::ffff:100.64.0.1] [::ffff:a83f:8110]
    [::ffff:224.0.0.1] [::ffff:255.255.255.255] [::127.0.0.1] [::7f00:1] [::10.0.0.1] [::a9fe:a9fe] [::8.8.8.8]
    [64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::a9fe:a9fe] [64:ff9b::10.0.0.1] [64:ff9b::8.8.8.8] [64:ff9b:1::7f00:1]
    [64:ff9b:1:7f00:0:100::] [2002:7f00:1::] [2002:7f00:1::1] [2002:a00:1::] [2002:a9fe:a9fe::1] [2002:808:808::1]
    [2001::] [2001:0:7f00:1::] [2001:0:808:808::80ff:fffe] [2001:0:808:808:0:0:f5ff:fffe] [::ffff:0:127.0.0.1]
    [::ffff:0:7f00:1] [::ffff:0:8.8.8.8]`,
};

/** Names, as hostile DNS answers them. */
const NAMES: Record<string, string[]> = {
  localhost: ["127.0.0.1"],
  "localhost.": ["::1", "127.0.0.1"],
  "localhost.localdomain": ["127.0.0.1"],
  "a.localhost": ["127.0.0.1"],
  "a.b.localhost.": ["::1"],
  "ip6-localhost": ["::1"],
  "127.0.0.1..": ["127.0.0.1"],
  "127.0.0.1.nip.io": ["127.0.0.1"],
  "7f000001.nip.io": ["127.0.0.1"],
  "metadata.google.internal": ["169.254.169.254"],
  "metadata.google.internal.": ["169.254.169.254"],
  "db.internal": ["10.0.0.5"],
  "host.docker.internal": ["192.168.65.254"],
  "kubernetes.default.svc.cluster.local": ["10.96.0.1"],
  "printer.local": ["fe80::1"],
  db: ["172.18.0.2"],
  "router.home.arpa": ["192.168.1.1"],
  "azure.test": ["168.63.129.16"],
  "alibaba.test": ["100.100.100.200"],
  "oracle.test": ["192.0.0.192"],
  "this.test": ["0.0.0.0"],
  "six.test": ["::"],
  "unique.test": ["fd00:ec2::254"],
  "mapped.test": ["::ffff:127.0.0.1"],
  "mapped-hex.test": ["::ffff:7f00:1"],
  "mapped-long.test": ["0:0:0:0:0:ffff:127.0.0.1"],
  "compatible.test": ["::127.0.0.1"],
  "compatible-public.test": ["::8.8.8.8"],
  "nat64.test": ["64:ff9b::7f00:1"],
  "nat64-dotted.test": ["64:ff9b::127.0.0.1"],
  "6to4.test": ["2002:7f00:1::"],
  "teredo.test": ["2001:0:808:808::80ff:fffe"],
  "zone.test": ["fe80::1%lo"],
  "zone-public.test": ["2606:4700::1111%lo"],
  "short.test": ["127.1"],
  "number.test": ["2130706433"],
  "octal.test": ["0177.0.0.1"],
  "name.test": ["localhost"],
  "empty.test": [""],
  "last.test": ["1.1.1.1", "8.8.8.8", "127.0.0.1"],
  "first.test": ["127.0.0.1", "1.1.1.1"],
  "middle.test": ["1.1.1.1", "::1", "2606:4700::1111"],
  "thousand.test": [...Array.from({ length: 999 }, () => "1.1.1.1"), "10.0.0.1"],
  "multicast.test": ["239.255.255.250"],
  "broadcast.test": ["255.255.255.255"],
  "xn--bcher-kva.test": ["127.0.0.1"],
};

/** Other ways to write such a host, or what stands around it. */
const WRITINGS = [
  ...words(`
    http://LOCALHOST:PORT http://LocalHost.:PORT http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:PORT http://ｌｏｃａｌｈｏｓｔ:PORT http://%6c%6fcalhost:PORT
    http://localhost%2e:PORT http://localhost。:PORT http://loc\u00adalhost:PORT http://a。localhost:PORT
    http:localhost:PORT http:/localhost:PORT http:\\\\localhost:PORT http:///localhost:PORT
    http://localhost:PORT\\@a.test/ http://localhost:PORT/@1.1.1.1 http://localhost:PORT?1.1.1.1 http://bücher.test:PORT
    http://BÜCHER.test:PORT HTTP://localhost:PORT https://localhost:PORT https://localhost http://localhost:00000PORT
    \u0000\u001fhttp://localhost:PORT`),
  "ht\ntp://local\thost:PORT",
  "http://12\t7.0.\r\n0.1:PORT/",
  " \n http://127.0.0.1:PORT \n ",
];

/** Refused before any address is looked at. `public.test` would be fine. */
const MALFORMED = [
  ...words(`
    http://public.test@127.0.0.1:PORT http://127.0.0.1:PORT@public.test http://public.test:80@localhost:PORT
    http://a:b@public.test http://%00@public.test http://public.test#@127.0.0.1:PORT http://public.test/#
    http://127.0.0.1:PORT#.public.test http://public.test:0 https://public.test:00 http://127.0.0.1:0
    http://public.test:65536 http://public.test:-1 http://public.test:8o http://[fe80::1%25lo]:PORT
    http://[fe80::1%lo]:PORT http://[::1%25]:PORT http://[::1 http://::1:PORT http://[127.0.0.1]:PORT
    http://[localhost]:PORT http://[::ffff:127.1]:PORT http://[::ffff:0x7f.0.0.1]:PORT http://[1::1::1]:PORT
    http://[::127.0.0.0.1]:PORT http://256.0.0.1:PORT http://127.0.0.256:PORT http://127.0.0.0.1:PORT
    http://127.0.0.08:PORT http://4294967296:PORT http://0x100000000:PORT http://1.2.3.0x100:PORT
    http://127.0.0.1%00.public.test http://127.0.0.1%20 http://public.test%2f@127.0.0.1:PORT http://public.test%23
    http://pub<lic.test http://public.test|127.0.0.1 http:// http://? http://: http://@ //127.0.0.1:PORT 127.0.0.1:PORT
    localhost:PORT /hook file:///etc/passwd file://localhost/etc/passwd ftp://127.0.0.1:PORT
    gopher://127.0.0.1:PORT/_GET ws://127.0.0.1:PORT wss://public.test data:text/plain,x javascript:0
    blob:http://127.0.0.1:PORT/a about:blank unix:/run/docker.sock dict://127.0.0.1:PORT
    http+unix://%2Frun%2Fdocker.sock/ http//127.0.0.1:PORT ldap://127.0.0.1:PORT jar:http://127.0.0.1:PORT!/ tel:127001`),
  `http://public.test/${"a".repeat(2048)}`,
  `http://public.test/${"é".repeat(700)}`,
  "http://public .test",
  "http://127.0.0.1 :80",
  "",
];

/** URL, and where a call of it would go. */
const ALLOWED: [text: string, ...addresses: string[]][] = [
  ["https://public.test/hook", "93.184.215.14"],
  ["http://public.test", "93.184.215.14"],
  ["https://PUBLIC.test:8443/a?b=c", "93.184.215.14"],
  ["https://public.test:1", "93.184.215.14"],
  ["https://public.test:65535", "93.184.215.14"],
  ["https://public.test/@127.0.0.1", "93.184.215.14"],
  ["https://public.test/?url=http://127.0.0.1", "93.184.215.14"],
  ["https://public.test\\@127.0.0.1/", "93.184.215.14"],
  ["https://public.test/%23%40", "93.184.215.14"],
  ["https://ｐublic。test/", "93.184.215.14"],
  ["https://both.test", "2606:4700::1111", "1.1.1.1"],
  ["https://localhost.public.test", "1.1.1.1"],
  ["https://mapped.public.test", "8.8.8.8"],
  ["https://8.8.8.8", "8.8.8.8"],
  ["https://8.8.8.8.:444", "8.8.8.8"],
  ["https://134744072", "8.8.8.8"],
  ["https://0x08080808", "8.8.8.8"],
  ["https://010.8.010.8", "8.8.8.8"],
  ["https://８.８.８.８", "8.8.8.8"],
  ["https://[::ffff:8.8.8.8]", "8.8.8.8"],
  ["https://[::ffff:808:808]", "8.8.8.8"],
  ["https://1.0.0.0", "1.0.0.0"],
  ["https://9.255.255.255", "9.255.255.255"],
  ["https://11.0.0.0", "11.0.0.0"],
  ["https://100.63.255.255", "100.63.255.255"],
  ["https://100.128.0.0", "100.128.0.0"],
  ["https://126.255.255.255", "126.255.255.255"],
  ["https://128.0.0.0", "128.0.0.0"],
  ["https://168.63.129.15", "168.63.129.15"],
  ["https://168.63.129.17", "168.63.129.17"],
  ["https://169.253.255.255", "169.253.255.255"],
  ["https://169.255.0.0", "169.255.0.0"],
  ["https://172.15.255.255", "172.15.255.255"],
  ["https://172.32.0.0", "172.32.0.0"],
  ["https://192.167.255.255", "192.167.255.255"],
  ["https://192.169.0.0", "192.169.0.0"],
  ["https://198.17.255.255", "198.17.255.255"],
  ["https://198.20.0.0", "198.20.0.0"],
  ["https://223.255.255.255", "223.255.255.255"],
  ["https://[2001:200::1]", "2001:200::1"],
  ["https://[2003::1]", "2003::1"],
  ["https://[2606:4700:0:0:0:0:0:1111]:8443", "2606:4700::1111"],
  ["https://[2a00:1450::1]", "2a00:1450::1"],
  ["https://[3ffe::1]", "3ffe::1"],
];

const PUBLIC_NAMES: Record<string, string[]> = {
  "public.test": ["93.184.215.14"],
  "both.test": ["2606:4700::1111", "1.1.1.1"],
  "localhost.public.test": ["1.1.1.1"],
  "mapped.public.test": ["::ffff:8.8.8.8"],
};

async function hostileLookup(hostname: string) {
  const addresses = NAMES[hostname] ?? PUBLIC_NAMES[hostname];
  if (addresses === undefined) throw Object.assign(new Error(`ENOTFOUND ${hostname}`), { code: "ENOTFOUND" });
  return addresses.map(asAnswer);
}
const asAnswer = (address: string) => ({ address, family: isIP(address) });

/** Even http is allowed, so that only the address can be the reason. */
const guard = new AddressGuard({ allowHttp: true, allowCidrs: [], lookup: hostileLookup });

/**
 * What a sender does: connect to what the guard returned, if it is on this machine, and to nothing if it throws.
 * `0.0.0.0` and the like are this machine, too.
 */
async function call(by: AddressGuard, text: string): Promise<void> {
  const addresses = await by.resolve(by.parseUrl(text));
  for (const { address } of addresses) {
    if (!/^(?:127\.|0\.|::)/.test(address)) continue;
    const socket = connect({ host: address, port });
    await once(socket, "close").finally(() => socket.destroy());
  }
}

/** Refused on saving with this kind of reason, and refused again by each connection. */
async function assertRefused(text: string, reason: "blocked" | "malformed"): Promise<void> {
  const isRefusal = (error: unknown) => {
    assert.ok(error instanceof AppError, `${text}: ${String(error)}`);
    assert.deepEqual([error.code, error.field], ["invalid", "url"], text);
    assert.equal(error.cause instanceof BlockedAddressError, reason === "blocked", `${text}: ${error.message}`);
    assert.equal(error.cause === undefined, reason === "malformed", `${text}: ${error.message}`);
    return true;
  };
  await assert.rejects(guard.check(text), isRefusal, text);
  await assert.rejects(call(guard, text), reason === "blocked" ? BlockedAddressError : isRefusal, text);
}

const withPort = (text: string) => text.replaceAll("PORT", String(port));

describe("no connection is made", () => {
  for (const [kind, hosts] of Object.entries(LITERALS)) {
    test(`to ${kind}, and there is no DNS query`, async () => {
      for (const host of words(hosts)) await assertRefused(`http://${host}:${port}/hook`, "blocked");
      assert.equal(connects, 0);
    });
  }

  test("to a name whose DNS records include a forbidden address", async () => {
    for (const name of Object.keys(NAMES)) await assertRefused(`http://${name}:${port}/hook`, "blocked");
    assert.equal(connects, 0);
  });

  test("to any other spelling of such a host", async () => {
    for (const text of WRITINGS) await assertRefused(withPort(text), "blocked");
    assert.equal(connects, 0);
  });

  test("to a URL that violates the syntax rules", async () => {
    for (const text of MALFORMED) await assertRefused(withPort(text), "malformed");
    assert.equal(connects, 0);
  });

  test("after DNS was fine on saving and then changed", async () => {
    for (const second of [
      "127.0.0.1",
      "::ffff:127.0.0.1",
      "0.0.0.0",
      "10.0.0.1",
      "169.254.169.254",
      "64:ff9b::7f00:1",
    ]) {
      const answers = [["93.184.215.14"], ["93.184.215.14"], ["93.184.215.14", second], [second]];
      const rebound = new AddressGuard({
        allowHttp: true,
        allowCidrs: [],
        lookup: async () => (answers.shift() ?? []).map(asAnswer),
      });
      const href = await rebound.check(`http://rebinding.test:${port}`);
      await call(rebound, href);
      await assert.rejects(call(rebound, href), BlockedAddressError, second);
      await assert.rejects(call(rebound, href), BlockedAddressError, second);
      assert.deepEqual(answers, [], "each call has asked once, and no more");
    }
    assert.equal(connects, 0);
  });

  test("to more than 200 different URLs in all", () => {
    const hosts = [...Object.values(LITERALS).flatMap(words), ...Object.keys(NAMES)];
    const urls = [...hosts.map((host) => `http://${host}:PORT/hook`), ...WRITINGS, ...MALFORMED];
    assert.deepEqual(
      urls.filter((url, index) => urls.indexOf(url) !== index),
      [],
      "each is listed once",
    );
    assert.ok(urls.length >= 200, `${urls.length}`);
  });

  test("to any spelling of any forbidden IPv4 address", async () => {
    const spelt = fc.tuple(forbiddenIpv4, spelling).map(([address, spell]) => `http://${spell(address)}:${port}/`);
    await fc.assert(
      fc.asyncProperty(spelt, (text) => assertRefused(text, "blocked")),
      { numRuns: cases(1_000) },
    );
    assert.equal(connects, 0);
  });
});

describe("an allowed address", () => {
  test("passes, to the addresses of its host and no other", async () => {
    for (const [text, ...addresses] of ALLOWED) {
      const href = await guard.check(text).catch((error: unknown) => assert.fail(`${text}: ${String(error)}`));
      assert.equal(await guard.check(href), href, "what is kept reads the same again");
      const resolved = await guard.resolve(guard.parseUrl(href));
      assert.deepEqual(resolved, addresses.map(asAnswer), text);
    }
    assert.ok(ALLOWED.length >= 30);
    assert.equal(connects, 0);
  });

  test("may be any spelling of a public IPv4 address", async () => {
    const publicIpv4 = fc.nat(0xffffff).map((low) => 0x08000000 + low);
    await fc.assert(
      fc.asyncProperty(publicIpv4, ipv4Spelling, async (address, spell) => {
        const url = guard.parseUrl(`http://${spell(address)}:${port}/`);
        assert.deepEqual(await guard.resolve(url), [{ address: dotted(address), family: 4 }]);
      }),
    );
  });

  // Without this, the zeros above could be those of a listener that nobody can reach.
  test("may be this machine where the operator says so, and the listener is reached", async () => {
    const open = new AddressGuard({
      allowHttp: true,
      allowCidrs: parseCidrs("127.0.0.1/32") ?? [],
      lookup: hostileLookup,
    });
    for (const host of ["127.0.0.1", "127.1", "[::ffff:127.0.0.1]", "localhost", "mapped.test"]) {
      const before = connects;
      await call(open, await open.check(`http://${host}:${port}`));
      assert.equal(connects, before + 1, host);
    }
    await assert.rejects(call(open, `http://localhost.:${port}`), BlockedAddressError, "::1 was not said");
  });
});

const range = (network: number, bits: number) => fc.nat(2 ** (32 - bits) - 1).map((host) => network + host);

/** Private, loopback, link-local, shared, multicast, reserved. */
const forbiddenIpv4 = fc.oneof(
  range(0x00000000, 8),
  range(0x0a000000, 8),
  range(0x64400000, 10),
  range(0x7f000000, 8),
  range(0xa9fe0000, 16),
  range(0xac100000, 12),
  range(0xc0000000, 24),
  range(0xc0a80000, 16),
  range(0xc6120000, 15),
  range(0xe0000000, 4),
  range(0xf0000000, 4),
);

const bytesOf = (address: number) => [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff);
const dotted = (address: number) => bytesOf(address).join(".");
const grouped = (address: number) => `${(address >>> 16).toString(16)}:${(address & 0xffff).toString(16)}`;
const fullWidth = (text: string) =>
  text.replaceAll(/[0-9a-z]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0));
const percented = (text: string) => text.replaceAll(/[0-9a-z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);

type Spell = (address: number) => string;

/** One to four numbers, the last of which takes the rest; each decimal, octal or hexadecimal; in other letters. */
const ipv4Spelling: fc.Arbitrary<Spell> = fc
  .record({
    numbers: fc.integer({ min: 1, max: 4 }),
    bases: fc.array(fc.constantFrom("", "0", "000", "0x", "0X", "0x00"), { minLength: 4, maxLength: 4 }),
    dot: fc.constantFrom(".", ".", "。", "．", "%2e"),
    end: fc.constantFrom("", "", "."),
    letters: fc.constantFrom((text: string) => text, fullWidth, percented),
  })
  .map(({ numbers, bases, dot, end, letters }) => (address) => {
    const bytes = bytesOf(address);
    const rest = bytes.slice(numbers - 1).reduce((sum, byte) => sum * 256 + byte, 0);
    const parts = [...bytes.slice(0, numbers - 1), rest].map((number, index) => {
      const base = bases[index] ?? "";
      return base + number.toString(base === "" ? 10 : /x/i.test(base) ? 16 : 8);
    });
    return parts.map((part) => letters(part)).join(dot) + end;
  });

const spelling: fc.Arbitrary<Spell> = fc.oneof(
  { arbitrary: ipv4Spelling, weight: 3 },
  fc.constantFrom<Spell[]>(
    (address) => `[::ffff:${dotted(address)}]`,
    (address) => `[::FFFF:${grouped(address)}]`,
    (address) => `[0:0:0:0:0:ffff:${dotted(address)}]`,
    (address) => `[::${grouped(address)}]`,
    (address) => `[64:ff9b::${dotted(address)}]`,
    (address) => `[2002:${grouped(address)}::1]`,
    (address) => `[2001:0:808:808::${grouped(~address >>> 0)}]`,
    (address) => `[::ffff:0:${grouped(address)}]`,
  ),
);

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppError } from "../../domain/system/errors.ts";
import { METADATA_ADDRESSES } from "./ip-address.ts";
import { AddressGuard, BlockedAddressError, type GuardOptions, parseCidrs } from "./ssrf-guard.ts";

type Answer = { address: string; family: number }[];

/** Names and their addresses; all other names have none. */
function guardWith(names: Record<string, string[]>, options: Partial<GuardOptions> & { cidrs?: string } = {}) {
  const asked: string[] = [];
  const { cidrs = "", ...rest } = options;
  const guard = new AddressGuard({
    allowHttp: false,
    allowCidrs: cidrsOf(cidrs),
    lookup: async (hostname): Promise<Answer> => {
      asked.push(hostname);
      const addresses = names[hostname];
      if (addresses === undefined) throw dnsError("ENOTFOUND");
      return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    },
    ...rest,
  });
  return Object.assign(guard, { asked });
}

function cidrsOf(text: string) {
  const cidrs = parseCidrs(text);
  assert.ok(cidrs, text);
  return cidrs;
}

const dnsError = (code: string) => Object.assign(new Error(`getaddrinfo ${code}`), { code });

/** Matches an `invalid` error of the field `url` whose message contains these words. */
const invalid = (words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof AppError, String(error));
  assert.deepEqual([error.code, error.field], ["invalid", "url"]);
  assert.match(error.message, words);
  return true;
};

const ofLength = (length: number) => "https://example.com/".padEnd(length, "a");

describe("the syntax of a URL", () => {
  const guard = guardWith({});
  const lenient = guardWith({}, { allowHttp: true });

  test("https is accepted, with any port but 0, a path and a query", () => {
    const url = "https://example.com:1/a%20b?c=d";
    assert.equal(guard.parseUrl(url).href, url);
    assert.throws(() => guard.parseUrl("https://example.com:0/"), invalid(/port 0/));
    assert.throws(() => guard.parseUrl("https://example.com:0000/"), invalid(/port 0/));
  });

  test("http is accepted only where the operator allows it, and the error names the setting", () => {
    assert.throws(() => guard.parseUrl("http://example.com/"), invalid(/ROSTRUM_WEBHOOK_ALLOW_HTTP=1/));
    assert.equal(lenient.parseUrl("http://example.com").href, "http://example.com/");
  });

  for (const scheme of ["ftp", "file", "ws", "wss", "data", "javascript", "blob:https", "gopher", "unix"]) {
    test(`${scheme}: is refused, even where http is allowed`, () => {
      assert.throws(() => lenient.parseUrl(`${scheme}://example.com/`), invalid(/must begin with https/));
    });
  }

  test("a user name or a password is refused", () => {
    for (const userinfo of ["a@", "a:b@", ":b@", "%40@", "example.com:443@"]) {
      assert.throws(() => guard.parseUrl(`https://${userinfo}example.com/`), invalid(/user name/), userinfo);
    }
  });

  test("a fragment is refused, even an empty one; an encoded # is no fragment", () => {
    assert.throws(() => guard.parseUrl("https://example.com/#a"), invalid(/fragment/));
    assert.throws(() => guard.parseUrl("https://example.com/?#"), invalid(/fragment/));
    assert.ok(guard.parseUrl("https://example.com/%23?%23"));
  });

  test("2,048 characters are accepted and one more is refused, as written and as normalised", () => {
    assert.equal(guard.parseUrl(ofLength(2048)).href.length, 2048);
    assert.throws(() => guard.parseUrl(ofLength(2049)), invalid(/2,048/));
    assert.throws(() => guard.parseUrl(`https://example.com/${"é".repeat(1000)}`), invalid(/2,048/));
  });

  test("anything but an absolute URL is refused", () => {
    for (const text of [
      "",
      " ",
      "example.com",
      "//example.com",
      "/hook",
      "https://",
      "https://a b/",
      "https://[::1/",
    ]) {
      assert.throws(() => guard.parseUrl(text), invalid(/cannot be read|must begin/), text);
    }
  });
});

describe("the addresses of a URL", () => {
  test("are all returned in the resolver's order, as the network sees them", async () => {
    const guard = guardWith({ "a.test": ["2606:4700:0:0::1111", "1.1.1.1", "::ffff:8.8.8.8"] });
    assert.deepEqual(await guard.resolve(guard.parseUrl("https://A.test:8443/x")), [
      { address: "2606:4700::1111", family: 6 },
      { address: "1.1.1.1", family: 4 },
      { address: "8.8.8.8", family: 4 },
    ]);
  });

  test("are all blocked if one of them is forbidden, wherever it stands", async () => {
    for (const addresses of [
      ["10.0.0.1", "1.1.1.1"],
      ["1.1.1.1", "10.0.0.1"],
      ["1.1.1.1", "2606:4700::1111", "::1"],
    ]) {
      const guard = guardWith({ "a.test": addresses });
      await assert.rejects(guard.resolve(new URL("https://a.test")), BlockedAddressError);
    }
  });

  test("are checked without the resolver if the URL has an IP address", async () => {
    const guard = guardWith({});
    assert.deepEqual(await guard.resolve(guard.parseUrl("https://1.1")), [{ address: "1.0.0.1", family: 4 }]);
    assert.deepEqual(await guard.resolve(guard.parseUrl("https://[2606:4700::1]")), [
      { address: "2606:4700::1", family: 6 },
    ]);
    await assert.rejects(guard.resolve(guard.parseUrl("https://127.1")), BlockedAddressError);
    assert.deepEqual(guard.asked, []);
  });

  test("are resolved once each time, and never remembered", async () => {
    const guard = guardWith({ "a.test": ["1.1.1.1"] });
    const url = guard.parseUrl("https://a.test");
    await guard.resolve(url);
    await guard.resolve(url);
    assert.deepEqual(guard.asked, ["a.test", "a.test"]);
  });

  test("are an error if the resolver has one, or finds none", async () => {
    const error = dnsError("EAI_AGAIN");
    const guard = guardWith({ "none.test": [] }, { lookup: () => Promise.reject(error) });
    await assert.rejects(guard.resolve(new URL("https://a.test")), (thrown) => thrown === error);
    await assert.rejects(guardWith({ "none.test": [] }).resolve(new URL("https://none.test")), { code: "ENODATA" });
  });

  test("are blocked if one is no plain IP address", async () => {
    for (const address of [
      "",
      "localhost",
      "127.1",
      "0x7f.0.0.1",
      "2130706433",
      "fe80::1%eth0",
      "2606:4700::1%1",
      "1.1.1.1 ",
    ]) {
      await assert.rejects(
        guardWith({ "a.test": [address] }).resolve(new URL("https://a.test")),
        BlockedAddressError,
        address,
      );
    }
  });

  test("of this machine are found by the system's resolver, and refused", async () => {
    const closed = new AddressGuard({ allowHttp: true, allowCidrs: [] });
    await assert.rejects(closed.resolve(new URL("http://localhost")), BlockedAddressError);
    const open = new AddressGuard({ allowHttp: true, allowCidrs: cidrsOf("127.0.0.0/8,::1") });
    for (const { address } of await open.resolve(new URL("http://localhost"))) {
      assert.match(address, /^(127\.0\.0\.1|::1)$/);
    }
  });
});

/** Whether a URL of this host may be called while these ranges are allowed. */
async function passes(cidrs: string, host: string): Promise<boolean> {
  return guardWith({}, { cidrs })
    .resolve(new URL(`https://${host}`))
    .then(
      () => true,
      (error: unknown) => {
        assert.ok(error instanceof BlockedAddressError);
        return false;
      },
    );
}

describe("ranges that the operator allows", () => {
  test("open exactly the addresses in them", async () => {
    assert.ok(await passes("127.0.0.1/32", "127.0.0.1"));
    assert.ok(!(await passes("127.0.0.1/32", "127.0.0.2")));
    assert.ok(!(await passes("127.0.0.1/32", "[::1]")));
    assert.ok(await passes("10.1.0.0/17,fd00::/8", "10.1.127.255"));
    assert.ok(!(await passes("10.1.0.0/17,fd00::/8", "10.1.128.0")));
    assert.ok(await passes("10.1.0.0/17,fd00::/8", "[fd00:ec2::1]"));
    assert.ok(!(await passes("10.1.0.0/17,fd00::/8", "[fc00::1]")));
    assert.ok(await passes("168.63.129.16", "168.63.129.16"));
  });

  test("in IPv4 open the IPv4-mapped form, and the other way round", async () => {
    assert.ok(await passes("127.0.0.1/32", "[::ffff:127.0.0.1]"));
    assert.ok(await passes("::ffff:127.0.0.1/128", "127.0.0.1"));
    assert.ok(await passes("::ffff:10.0.0.0/104", "10.255.255.255"));
    assert.ok(!(await passes("::ffff:10.0.0.0/105", "10.128.0.0")));
  });

  test("do not open where clouds hand out credentials, unless they name the address alone", async () => {
    for (const address of METADATA_ADDRESSES) {
      const host = address.includes(":") ? `[${address}]` : address;
      assert.ok(!(await passes("0.0.0.0/0,::/0", host)), address);
      assert.ok(!(await passes("0.0.0.0/1,128.0.0.0/1,fd00::/8", host)), address);
      assert.ok(await passes(`0.0.0.0/0,${address}`, host), address);
      assert.ok(await passes(`${address}/${address.includes(":") ? 128 : 32}`, host), address);
    }
    // Applies to every cloud, whatever the list contains.
    for (const address of ["169.254.169.254", "[fd00:ec2::254]", "168.63.129.16", "100.100.100.200", "192.0.0.192"]) {
      assert.ok(!(await passes("0.0.0.0/0,::/0", address)), address);
    }
    for (const hidden of ["[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]", "[2002:a9fe:a9fe::]", "0xa9fea9fe"]) {
      assert.ok(!(await passes("0.0.0.0/0,::/0", hidden)), hidden);
    }
    assert.ok(await passes("169.254.0.0/16", "169.254.1.1"));
  });

  test("do not open the IPv4 addresses behind a translator or a tunnel", async () => {
    for (const cidr of ["64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "::ffff:0:0:0/96", "::/0"]) {
      for (const host of ["[64:ff9b::10.0.0.1]", "[64:ff9b:1::a00:1]", "[64:ff9b:1:a00:0:100::]", "[2002:a00:1::1]"]) {
        assert.ok(!(await passes(cidr, host)), `${cidr} ${host}`);
      }
      for (const host of [
        "[2001:0:a00:1::f7f7:f7f7]",
        "[2001:0:808:808::f5ff:fffe]",
        "[::ffff:0:a00:1]",
        "[::a00:1]",
      ]) {
        assert.ok(!(await passes(cidr, host)), `${cidr} ${host}`);
      }
    }
    assert.ok(await passes("64:ff9b::/96", "[64:ff9b::8.8.8.8]"), "a network with NAT64 reaches public IPv4 hosts");
    assert.ok(await passes("64:ff9b::/96,10.0.0.1", "[64:ff9b::10.0.0.1]"));
    assert.ok(await passes("2001::/32", "[2001:0:808:808::f7f7:f7f7]"));
    assert.ok(await passes("::1,::", "[::1]"), "these two are no IPv4-compatible addresses");
    assert.ok(await passes("::1,::", "[::]"));
  });

  test("are parsed strictly: a malformed one invalidates all", () => {
    assert.deepEqual(parseCidrs(""), []);
    assert.deepEqual(parseCidrs("  "), []);
    const read = parseCidrs(" 10.0.0.0/8 ,127.0.0.1,::1,fd00::/8,::/0,0.0.0.0/0,::ffff:10.0.0.0/104");
    assert.deepEqual(
      read?.map(({ network, bits }) => `${network.toString()}/${bits}`),
      ["10.0.0.0/8", "127.0.0.1/32", "::1/128", "fd00::/8", "::/0", "0.0.0.0/0", "10.0.0.0/8"],
    );
    for (const part of [
      ..."10.0.0.0/33 10.0.0.0/ 10.0.0.0/08 10.0.0.0/-1 10.0.0.0/+8 10.0.0.0/8.0 10.0.0.0/8/8 10.0.0.0/0x8".split(" "),
      ..."10.0.0.0/255.0.0.0 10/8 10.0/16 127.1 0x7f.0.0.1 010.0.0.0/8 2130706433 /8 / * all localhost".split(" "),
      ..."10.0.0.1/8 10.0.0.0/6 1.1.1.1/31 fd00::1/8 ::1/127 ::/129 [::1] [::1]/128 fe80::%eth0/64 fe80::1%1".split(
        " ",
      ),
      ..."::ffff:10.0.0.0/8 ::ffff:0:0/95 10.0.0.0-10.0.0.9 10.0.0.0\\8 :::1 1.2.3.4.5 10.0.0.0;::1".split(" "),
      "10.0.0.0 /8",
      "",
    ]) {
      assert.equal(parseCidrs(`${part},127.0.0.1`), undefined, part);
      assert.equal(parseCidrs(`127.0.0.1,${part}`), undefined, part);
    }
  });
});

describe("a URL that is saved", () => {
  test("is returned as it will be called, and parses to the same again", async () => {
    const guard = guardWith({ "xn--bcher-kva.test": ["1.1.1.1"] });
    const href = await guard.check(" HTTPS://BÜCHER.test:443/a/../ü?q=ü ");
    assert.equal(href, "https://xn--bcher-kva.test/%C3%BC?q=%C3%BC");
    assert.equal(await guard.check(href), href);
  });

  test("is refused with a blocked address, without naming it, and with what to do", async () => {
    const guard = guardWith({ "db.test": ["10.20.30.40"] });
    await assert.rejects(guard.check("https://db.test/"), (error) => {
      assert.ok(invalid(/db\.test .* not public.*ROSTRUM_WEBHOOK_ALLOW_CIDRS/)(error));
      assert.ok(error instanceof AppError && error.cause instanceof BlockedAddressError);
      assert.doesNotMatch(error.message + error.cause.message, /10\.20/);
      return true;
    });
  });

  test("is refused if its name has no address, or cannot be resolved now", async () => {
    await assert.rejects(guardWith({}).check("https://none.test/"), invalid(/no address .*typing error/));
    await assert.rejects(guardWith({ "none.test": [] }).check("https://none.test/"), invalid(/no address/));
    const offline = guardWith({}, { lookup: () => Promise.reject(dnsError("EAI_AGAIN")) });
    await assert.rejects(offline.check("https://a.test/"), invalid(/EAI_AGAIN.*Try again/));
  });

  test("passes on an error of the resolver that is a bug", async () => {
    const bug = new TypeError("undefined is not a function");
    const guard = guardWith({}, { lookup: () => Promise.reject(bug) });
    await assert.rejects(guard.check("https://a.test/"), (thrown) => thrown === bug);
  });
});

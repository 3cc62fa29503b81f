/** Clients that send much and read little, or break off: nobody else notices, and nothing of them is kept. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { type ConnectionLimits, Connections } from "../../src/http/connection/connections.ts";
import { refuseLate, refuseUnreadable } from "../../src/http/connection/unreadable.ts";
import { rawExchange } from "../helpers/raw-http.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import { until } from "../helpers/until.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server with the limits and nothing else. */
async function startServer(answer: Answer, limits: Partial<ConnectionLimits> = {}) {
  const connections = new Connections({ limits, onLate: refuseLate });
  const sockets = new Set<Socket>();
  const seen = { parsed: 0 };
  const server = createServer((request, response) => {
    seen.parsed++;
    connections.admit(request, response, answer);
  });
  connections.manage(server);
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("clientError", refuseUnreadable);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const closed = once(server, "close");
  const { port } = server.address() as AddressInfo;
  const clients: Socket[] = [];
  return {
    seen,
    /** Lets no new ones in. */
    close: () => void server.close(),
    /** Those that the server holds open, the oldest first. */
    sockets,
    connect: async (allowHalfOpen = false) => {
      const client = connect({ port, host: "127.0.0.1", allowHalfOpen });
      clients.push(client);
      // Being cut off is what some of them are here for.
      client.on("error", () => undefined);
      await once(client, "connect");
      return client;
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.destroy();
      connections[Symbol.dispose]();
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const gets = (count: number, header = "") => {
  const all = Array.from({ length: count }, (_none, index) => `GET /${index} HTTP/1.1\r\nHost: x\r\n${header}\r\n`);
  return all.join("");
};
const post = (length: number) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n${"b".repeat(length)}`;
const echo: Answer = (request, response) => void response.end(`<${request.url}>`);

/** What the client reads until it ends with `end`, or the server closes. */
async function read(client: Socket, end: string): Promise<string> {
  let text = "";
  const { promise, resolve } = Promise.withResolvers<string>();
  client.on("data", (part: Buffer) => {
    text += part.toString("latin1");
    if (text.endsWith(end)) resolve(text);
  });
  client.once("close", () => resolve(text));
  return promise;
}

const statuses = (text: string) => Array.from(text.matchAll(/HTTP\/1\.1 (\d+) /g), ([, status]) => Number(status));

describe("requests that are sent before the earlier ones are answered", () => {
  test("are all answered, eight and the one that they wait for, each once and in order", async () => {
    await using server = await startServer((request, response) => {
      // The later the request, the faster it would be answered.
      setTimeout(() => echo(request, response), 9 - Number(request.url?.slice(1)));
    });
    const client = await server.connect();
    client.write(gets(9));
    const text = await read(client, "</8>");
    assert.deepEqual(
      Array.from(text.matchAll(/<\/(\d+)>/g), ([, number]) => Number(number)),
      [0, 1, 2, 3, 4, 5, 6, 7, 8],
    );
  });

  test("close the connection if more than eight wait, and another one is answered meanwhile", async () => {
    const handled: string[] = [];
    await using server = await startServer((request, response) => {
      handled.push(request.url ?? "");
      if (request.url === "/other") echo(request, response);
    });
    const client = await server.connect();
    const other = await server.connect();
    client.write(gets(10));
    assert.equal(await read(client, "nothing ends like this"), "");
    other.write(get("/other"));
    await read(other, "</other>");
    assert.deepEqual(handled, ["/0", "/other"]);
  });

  test("have bodies that arrive whole", async () => {
    await using server = await startServer((request, response) => {
      let body = "";
      request.setEncoding("latin1").on("data", (part: string) => {
        body += part;
      });
      request.on("end", () => response.end(`<${body.length}>`));
    });
    const client = await server.connect();
    client.write(get("/") + post(3) + get("/") + get("/") + post(200_000) + get("/") + get("/") + get("/") + post(7));
    const text = await read(client, "<7>");
    assert.deepEqual(
      Array.from(text.matchAll(/<(\d+)>/g), ([, length]) => Number(length)),
      [0, 3, 0, 0, 200_000, 0, 0, 0, 7],
    );
  });

  for (const count of [1, 3, 9]) {
    test(`are followed by the refusal of what is no request, after ${count} responses and not within one`, async () => {
      await using server = await startServer((request, response) => {
        setImmediate(() => echo(request, response));
      });
      const client = await server.connect();
      client.write(`${gets(count)}nonsense\r\n\r\n`);
      const found = statuses(await read(client, "nothing ends like this"));
      assert.deepEqual(found, [...Array.from({ length: count }, () => 200), 400]);
    });
  }

  test("that are too many on all connections close the one that sends another, and leave room when it is closed", async () => {
    const held: ServerResponse[] = [];
    const answer: Answer = (request, response) => {
      if (request.url === "/0") held.push(response);
      else echo(request, response);
    };
    await using server = await startServer(answer, { maxAllWaiting: 6 });
    const first = await server.connect();
    first.write(gets(5));
    await until("four wait", () => held.length === 1);
    const greedy = await server.connect();
    greedy.write(gets(4));
    assert.equal(await read(greedy, "nothing ends like this"), "");
    const modest = await server.connect();
    modest.write(gets(3));
    await until("two more wait", () => held.length === 3);
    const answered = [read(first, "</4>"), read(modest, "</2>")];
    for (const response of held) response.end("<first>");
    assert.deepEqual(
      (await Promise.all(answered)).map((text) => statuses(text).length),
      [5, 3],
    );
  });
});

describe("responses that are not read", () => {
  const large = Buffer.alloc(20_000_000, "x");

  test("lead to the end of a connection that reads nothing, and not of one that reads slowly", async () => {
    await using server = await startServer((_request, response) => response.end(large), {
      stallTimeoutMs: 1_000,
      checkIntervalMs: 50,
    });
    const idle = await server.connect();
    idle.pause();
    idle.write(get("/"));
    const slow = await server.connect();
    slow.write(get("/"));
    let bytes = 0;
    const { promise: whole, resolve } = Promise.withResolvers<void>();
    slow.on("data", (part: Buffer) => {
      bytes += part.length;
      if (bytes > large.length) resolve();
      slow.pause();
      setTimeout(() => slow.resume(), 5);
    });
    slow.once("close", () => resolve());
    await whole;
    assert.ok(bytes > large.length, `${bytes} bytes arrived`);
    await until("the other one is closed", () => server.sockets.size === 1);
  });

  test("lead, beyond what all may leave unread, to the end of those that have read nothing for longest", async () => {
    await using server = await startServer((_request, response) => response.end(large), {
      checkIntervalMs: 20,
      maxUnsentBytes: 25_000_000,
    });
    for (let count = 0; count < 2; count++) {
      const client = await server.connect();
      client.pause();
      client.write(get("/"));
      await until("it is answered", () => server.seen.parsed === count + 1);
    }
    const [first, second] = server.sockets;
    await until("one is closed", () => server.sockets.size === 1);
    assert.ok(first?.destroyed);
    assert.ok(!second?.destroyed);
  });
});

/**
 * Longer than every limit of these tests. The sockets are read only after the timers: what is due by then is due before a
 * byte is read.
 */
const holdUp = () =>
  new Promise<void>((resolve) => {
    setImmediate(() => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
      resolve();
    });
  });

describe("requests that do not arrive in time", () => {
  const limits = { headersTimeoutMs: 200, requestTimeoutMs: 400, idleTimeoutMs: 200, checkIntervalMs: 20 };
  const head = "GET /whole HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
  test("end a connection on which nothing was sent, without a response", async () => {
    await using server = await startServer(echo, limits);
    assert.equal(await read(await server.connect(), "nothing ends like this"), "");
  });

  test("end a connection on which nothing, or only an empty line, follows a response", async () => {
    await using server = await startServer(echo, limits);
    for (const after of ["", "\r\n"]) {
      const client = await server.connect();
      client.write(get("/one"));
      await read(client, "</one>");
      client.write(after);
      assert.equal(await read(client, "nothing ends like this"), "");
    }
  });

  for (const [what, sent] of [
    ["whose headers break off", get("/").slice(0, 20)],
    ["whose body breaks off", post(100).slice(0, -1)],
  ] as const) {
    test(`get a 408 for a request ${what}, also after another one`, async () => {
      await using server = await startServer(
        (request, response) => {
          request.resume().once("end", () => echo(request, response));
        },
        { ...limits, idleTimeoutMs: 60_000 },
      );
      const second = await server.connect();
      second.write(get("/one"));
      await read(second, "</one>");
      // By then that answer counts as ended.
      await read(await server.connect(), "nothing ends like this");
      const found = [await server.connect(), second].map(async (client) => {
        client.write(sent);
        return statuses(await read(client, "nothing ends like this"));
      });
      assert.deepEqual(await Promise.all(found), [[408], [408]]);
    });
  }

  test("do not include the time in which the process read nothing: such requests are answered", async () => {
    await using server = await startServer(echo, limits);
    const fresh = await server.connect();
    const begun = await server.connect();
    begun.write(head);
    const kept = await server.connect();
    kept.write(get("/before"));
    await read(kept, "</before>");
    await until("all are accepted", () => server.sockets.size === 3);
    const answers = [fresh, begun, kept].map((client) => read(client, "</whole>"));
    fresh.write(`${head}\r\n`);
    begun.write("\r\n");
    kept.write(`${head}\r\n`);
    await holdUp();
    assert.deepEqual((await Promise.all(answers)).map(statuses), [[200], [200], [200]]);
  });

  test("do not include a body that waits for the response of an earlier request", async () => {
    let first: ServerResponse | undefined;
    await using server = await startServer((request, response) => {
      if (request.url === "/0") first = response;
      else request.resume().once("end", () => echo(request, response));
    }, limits);
    const client = await server.connect();
    client.write(get("/0") + post(1_000_000));
    await until("the first one is handled", () => first !== undefined);
    // When this one is late, the other would have been, too.
    const late = await server.connect();
    late.write(post(100).slice(0, -1));
    await read(late, "nothing ends like this");
    const answered = read(client, "</>");
    first?.end("<first>");
    assert.deepEqual(statuses(await answered), [200, 200]);
  });
});

test("a server that closes does not wait for a connection on which nothing was ever sent", async () => {
  await using server = await startServer(echo);
  const client = await server.connect();
  await until("it is accepted", () => server.sockets.size === 1);
  server.close();
  await once(client.resume(), "close");
});

test("a server that closes sends an answer to its end, and closes what is idle at once", async () => {
  const large = Buffer.alloc(20_000_000, "x");
  await using server = await startServer((request, response) =>
    request.url === "/large" ? response.end(large) : echo(request, response),
  );
  const idle = await server.connect();
  idle.write(get("/"));
  await read(idle, "</>");
  const slow = await server.connect();
  slow.pause();
  slow.write(get("/large"));
  await until("it is answered", () => server.seen.parsed === 2);
  const closed = [once(idle, "close"), once(slow, "close")] as const;
  server.close();
  await closed[0];
  let bytes = 0;
  slow.on("data", (part: Buffer) => {
    bytes += part.length;
    if (bytes > large.length) slow.end();
  });
  slow.resume();
  await closed[1];
  assert.ok(bytes > large.length, `${bytes} bytes arrived`);
});

test("a server that closes answers what arrives while it closes idle connections", async () => {
  await using server = await startServer((_request, response) => void response.end("ok"));
  const clients: Socket[] = [];
  for (let number = 0; number < 2; number++) {
    const client = await server.connect();
    clients.push(client);
    client.write(get("/first"));
    await once(client, "data");
  }
  const [first] = server.sockets;
  const [, second] = clients;
  assert.ok(first !== undefined && second !== undefined);
  const answered = text(second);
  const destroy = first.destroy.bind(first);
  first.destroy = (error) => {
    second.write(get("/late"));
    return destroy(error);
  };
  server.close();
  assert.match(await answered, /^HTTP\/1\.1 200 OK[^]*ok$/);
});

test("a connection that was refused is not left half open", async () => {
  await using server = await startServer(echo);
  const client = await server.connect(true);
  client.write("nonsense\r\n\r\n");
  client.on("data", () => undefined);
  await once(client, "end");
  await until("the server has let go of it", () => server.sockets.size === 0);
});

describe("the service", () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service[Symbol.asyncDispose]());

  test("sends 100 Continue after the earlier response, not within it", async () => {
    const said = await rawExchange(
      service.url,
      `GET /dashboard/api/session HTTP/1.1\r\nHost: x\r\n\r\n` +
        `POST ${LIST} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`,
      { stays: true },
    );
    assert.deepEqual(statuses(said), [401, 100, 405]);
  });

  for (const path of [LIST, "/docs", "/dashboard/api/session", "/healthz"]) {
    test(`refuses two hosts at ${path} with 400 (RFC 9112, section 3.2)`, async () => {
      const said = await rawExchange(
        service.url,
        `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${service.key}\r\nhost: y\r\n\r\n`,
        { stays: true },
      );
      assert.match(said, /^HTTP\/1\.1 400 Bad Request\r\n/);
      assert.match(said, /\r\nX-Request-Id: \w+\r\n/);
      assert.match(said, /"error":"Bad Request","message":"[^"]*Host[^"]*"/);
    });
  }

  test("closes connections beyond the setting, and has room again when one has gone", async () => {
    await using small = await startTestService({ ROSTRUM_MAX_CONNECTIONS: "2" });
    const { hostname, port } = new URL(small.url);
    const open = async () => {
      const client = connect(Number(port), hostname);
      await once(client, "connect");
      return client;
    };
    const ask = () =>
      rawExchange(small.url, `${get("/healthz").slice(0, -2)}Connection: close\r\n\r\n`, { stays: true });
    const clients = [await open(), await open()];
    assert.equal(await ask(), "");
    clients.pop()?.destroy();
    await until("there is room", async () => (await ask()).startsWith("HTTP/1.1 200 "));
    clients.pop()?.destroy();
  });
});

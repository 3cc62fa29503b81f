import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cases, fc } from "../../../test/helpers/properties.ts";
import { type ParsedHead, ResponseParser, UnreadableResponse } from "./response-parser.ts";

interface Response {
  interim: number[];
  status: number | null;
  headers: ParsedHead["headers"];
  body: string;
  /** Where it ends; null: it is not complete. `broken`: it cannot be read. */
  end: number | null | "broken";
  isKeptAlive: boolean | undefined;
}

/** Reads the text, cut at `cuts`, into a buffer that is overwritten each time. */
function parse(text: string, cuts: readonly number[] = [], isEnded = false): Response {
  const response: Response = {
    interim: [],
    status: null,
    headers: [],
    body: "",
    end: null,
    isKeptAlive: undefined,
  };
  const parser = new ResponseParser({
    onInterim: (status) => response.interim.push(status) < 1_000,
    onHead: (status, headers) => void Object.assign(response, { status, headers }),
    onBody: (bytes) => {
      response.body += bytes.toString("latin1");
      return true;
    },
  });
  const places = [...new Set([0, ...cuts.map((cut) => cut % (text.length + 1)), text.length])].toSorted(
    (a, b) => a - b,
  );
  const buffer = Buffer.alloc(text.length + 1);
  try {
    for (const [index, from] of places.entries()) {
      const part = text.slice(from, places[index + 1] ?? from);
      buffer.fill(0xff);
      buffer.write(part, "latin1");
      const read = parser.read(buffer, part.length);
      if (read !== null) {
        response.end = from + read;
        break;
      }
    }
  } catch (error) {
    assert.ok(error instanceof UnreadableResponse, String(error));
    response.end = "broken";
  }
  if (isEnded && response.end === null && parser.end()) response.end = text.length;
  response.isKeptAlive = parser.head?.isKeptAlive;
  return response;
}

const token = fc
  .string({ unit: fc.constantFrom(...Array.from("abcXYZ019-_")), minLength: 1, maxLength: 12 })
  .map((one) => `x-${one}`);
const value = fc
  .string({ unit: fc.constantFrom(...Array.from('aZ09 :;,\t\u00e9"')), maxLength: 20 })
  .map((one) => one.replace(/^[ \t]+|[ \t]+$/g, ""));
const headers = fc.array(fc.tuple(token, value), { maxLength: 6 });
const body = fc.string({ unit: fc.constantFrom(...Array.from("ab\r\n0;:\u00ff")), maxLength: 60 });
const cuts = fc.array(fc.nat(), { maxLength: 8 });

function write(given: readonly (readonly [string, string])[]): string {
  return given.map(([name, text]) => `${name}: ${text}\r\n`).join("");
}

function isKept(version: string, connection: string): boolean | undefined {
  return parse(`HTTP/${version} 200 OK\r\nContent-Length: 0\r\n${connection}\r\n`).isKeptAlive;
}

describe("a response", () => {
  test("is read the same wherever its bytes are cut, with any kind of length, and ends where it ends", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 200, max: 999 }).filter((status) => status !== 204 && status !== 304),
        headers,
        body,
        fc.constantFrom("length", "chunked", "close"),
        fc.array(fc.integer({ min: 100, max: 199 }), { maxLength: 3 }),
        cuts,
        (status, given, content, framing, interim, at) => {
          const own: [string, string][] = given.map(([name, text]) => [name.toLowerCase(), text]);
          const early = interim.map((one) => `HTTP/1.1 ${one}\r\nLink: </x>\r\n\r\n`).join("");
          const half = Math.floor(content.length / 2);
          const chunks = [content.slice(0, half), content.slice(half)].filter((one) => one !== "");
          const [last, text] = {
            length: [[["content-length", String(content.length)]], content],
            chunked: [
              [["transfer-encoding", "Chunked"]],
              `${chunks.map((one) => `${one.length.toString(16)};x=y\r\n${one}\r\n`).join("")}0\r\nT: u\r\n\r\n`,
            ],
            close: [[], content],
          }[framing] as [[string, string][], string];
          const all = `${early}HTTP/1.1 ${status} X\r\n${write(given)}${write(last)}\r\n${text}`;
          const rest = framing === "close" ? "" : "HTTP/1.1 500 Forged\r\n\r\n";
          assert.deepEqual(parse(all + rest, at, true), {
            interim,
            status,
            headers: [...own, ...last],
            body: content,
            end: all.length,
            isKeptAlive: framing !== "close",
          });
        },
      ),
      { numRuns: cases(5_000) },
    );
  });

  test("with a damaged byte is read the same wherever it is cut, or refused", () => {
    const bytes = fc.constantFrom(...Array.from("\r\n :;0x\t\0\u0080HTP/1."));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), bytes), { minLength: 1, maxLength: 4 }), cuts, (faults, at) => {
        let text =
          "HTTP/1.1 103\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
        for (const [place, byte] of faults) {
          const index = place % text.length;
          text = text.slice(0, index) + byte + text.slice(index + (place % 2));
        }
        assert.deepEqual(parse(text, at), parse(text));
      }),
      { numRuns: cases(20_000) },
    );
  });

  test("without a body is complete after its headers", () => {
    for (const status of [204, 304]) {
      const text = `HTTP/1.1 ${status} X\r\n\r\n`;
      assert.deepEqual([parse(text).end, parse(`${text}unasked`).end], [text.length, text.length]);
    }
    assert.equal(parse("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").end, 38);
  });

  test("says whether its connection can be used again", () => {
    assert.deepEqual(
      [
        isKept("1.1", ""),
        isKept("1.1", "Connection: x, Close\r\n"),
        isKept("1.0", ""),
        isKept("1.0", "Connection: Keep-Alive\r\n"),
        isKept("1.0", "Connection: close\r\nConnection: keep-alive\r\n"),
      ],
      [true, false, false, true, false],
    );
  });

  test("whose end is ambiguous does not keep its connection", () => {
    const texts = [
      "HTTP/1.1 204 X\r\nContent-Length: 2\r\n\r\n",
      "HTTP/1.1 204 X\r\nTransfer-Encoding: chunked\r\n\r\n",
      "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ];
    for (const text of texts) {
      const { end, isKeptAlive } = parse(text);
      assert.deepEqual([end, isKeptAlive], [text.length, false], text);
    }
    assert.equal(parse("HTTP/1.1 204 X\r\nContent-Length: 0\r\n\r\n").isKeptAlive, true);
  });

  for (const [name, text] of Object.entries({
    "of HTTP/2": "HTTP/2 200 OK\r\n\r\n",
    "of HTTP/0.9": "<html>",
    "with a status of two digits": "HTTP/1.1 20 OK\r\n\r\n",
    "with a blank before the colon": "HTTP/1.1 200 OK\r\nContent-Length : 1\r\n\r\n",
    "with a value on two lines": "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n",
    "with a line that is no header": "HTTP/1.1 200 OK\r\nnothing\r\n\r\n",
    "with a line feed alone": "HTTP/1.1 200 OK\nA: b\r\n\r\n",
    "with a carriage return in a header": "HTTP/1.1 200 OK\r\nA: b\rC: d\r\n\r\n",
    "with a NUL in a header": "HTTP/1.1 200 OK\r\nA: \0\r\n\r\n",
    "with a signed length": "HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n",
    "with a list of lengths": "HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\n",
    "with two equal lengths": "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
    "with a length and chunks": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n",
    "with a chunk without a size": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n;x\r\n",
    "with a chunk longer than its size": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
    "with a line feed alone after a size": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\na\r\n",
    "with headers of 16 KiB": `HTTP/1.1 200 OK\r\nA: ${"b".repeat(16_384)}`,
    "with chunks of one byte that need 70 KiB of sizes": `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${"1\r\na\r\n".repeat(14_000)}`,
    "with trailers of 17 KiB": `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${"A: b\r\n".repeat(3_000)}`,
  })) {
    test(`${name} is refused`, () => {
      assert.equal(parse(text).end, "broken");
      assert.equal(
        parse(
          text,
          Array.from(text.slice(0, 300), (_, index) => index),
        ).end,
        "broken",
      );
    });
  }
});

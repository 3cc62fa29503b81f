/** Webhook receivers that verify signatures; docs/webhooks.md says what else a good receiver does. */
import type { Snippet } from "./request-snippets.ts";

type Receiver = Omit<Snippet, "code"> & { code: string };

export const RECEIVERS: readonly Receiver[] = [
  {
    name: "Node",
    title: "receiver.mjs: WEBHOOK_SECRET=whsec_… node receiver.mjs",
    code: `import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";

const key = Buffer.from(process.env.WEBHOOK_SECRET.replace("whsec_", ""), "base64");

/** Whether it is genuine, and of the last five minutes. body: as it arrived, byte for byte. */
function isGenuine(headers, body) {
  const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signatures = "" } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= 300)) return false;
  const expected = createHmac("sha256", key).update(id + "." + time + ".").update(body).digest();
  return signatures.split(" ").some((signature) => {
    const given = Buffer.from(signature.replace("v1,", ""), "base64");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

const server = createServer(async (request, response) => {
  const body = await buffer(request);
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end();
  const { event, data } = JSON.parse(body);
  // The same event may come twice: keep webhook-id of those that you have had.
  console.log(event, data.article_id, data.title ?? "");
  response.writeHead(204).end();
});
server.listen(process.env.PORT ?? 3000, () => console.log("listening on port " + server.address().port));`,
  },
  {
    name: "Python",
    title: "receiver.py: WEBHOOK_SECRET=whsec_… python3 receiver.py",
    code: `import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))

def is_genuine(headers, body):
    """Whether it is genuine, and of the last five minutes. body: as it arrived, byte for byte."""
    stamp = headers.get("webhook-timestamp", "")
    if not stamp.isdigit() or abs(time.time() - int(stamp)) > 300:
        return False
    signed = f'{headers.get("webhook-id")}.{stamp}.'.encode() + body
    expected = "v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest(expected, given) for given in headers.get("webhook-signature", "").split())

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not is_genuine(self.headers, body):
            return self.answer(401)
        message = json.loads(body)
        # The same event may come twice: keep webhook-id of those that you have had.
        print(message["event"], message["data"]["article_id"], flush=True)
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

ThreadingHTTPServer(("", int(os.environ.get("PORT", 3000))), Receiver).serve_forever()`,
  },
];

/** A JSON request and its whole answer. Imports nothing of src/: also black-box tests use it. */
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { text } from "node:stream/consumers";

export interface TextReply {
  status: number;
  cookie: string | undefined;
  text: string;
}

type Options = Omit<RequestOptions, "headers"> & { headers: Record<string, string> };

type Request = (options: RequestOptions, onResponse: (response: IncomingMessage) => void) => ClientRequest;

/** @param request of node:http or node:https. @throws the error of the connection; a timeout in the options is one, too. */
export async function exchange(request: Request, options: Options, body?: object): Promise<TextReply> {
  const json = body === undefined ? undefined : JSON.stringify(body);
  const { promise, resolve, reject } = Promise.withResolvers<TextReply>();
  const { headers, ...others } = options;
  const own =
    json === undefined ? {} : { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(json) };
  const sent = request({ host: "127.0.0.1", ...others, headers: { ...headers, ...own } }, (response) => {
    const cookie = response.headers["set-cookie"]?.[0]?.split(";")[0];
    text(response).then((text) => resolve({ status: response.statusCode ?? 0, cookie, text }), reject);
  });
  sent.on("timeout", () => sent.destroy(new Error(`no answer within ${options.timeout} ms`)));
  sent.on("error", reject);
  sent.end(json);
  return promise;
}

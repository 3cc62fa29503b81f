import { once } from "node:events";
import { connect } from "node:net";

/**
 * Sends the bytes over a new connection. `abort`: closes the socket without waiting for a response; `stays`: keeps our half of
 * the connection open.
 *
 * @returns what was received until the connection closed.
 */
export async function rawExchange(url: string, bytes: string, { abort = false, stays = false } = {}): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, "connect");
  let said = "";
  socket.setEncoding("latin1").on("data", (part: string) => {
    said += part;
  });
  // A reset connection is a valid outcome.
  socket.on("error", () => undefined);
  const closed = once(socket, "close");
  if (abort) {
    socket.write(bytes, "latin1", () => socket.destroy());
  } else if (stays) {
    socket.write(bytes, "latin1");
  } else {
    socket.end(bytes, "latin1");
  }
  await closed;
  return said;
}

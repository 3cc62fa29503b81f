import { once } from "node:events";
import { connect } from "node:net";

/**
 * Sends the bytes over a connection of their own. @returns what came back until the server closed it, or until it
 * had closed our half; `abort`: nothing is waited for; `stays`: our half stays open.
 */
export async function rawExchange(url: string, bytes: string, { abort = false, stays = false } = {}): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, "connect");
  let said = "";
  socket.setEncoding("latin1").on("data", (part: string) => {
    said += part;
  });
  // Being cut off is an answer, too.
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

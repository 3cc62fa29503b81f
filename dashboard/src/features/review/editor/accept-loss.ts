import { ApiError } from "../../../api/client.ts";
import type { Confirm } from "../../../shared/confirm.tsx";

/**
 * Sends a text, or a request to restore one. If the service rejects it because much of the text would be lost, asks the user to
 * accept the loss and then sends it again.
 *
 * @throws ApiError, also the rejection if the user does not accept the loss.
 */
export async function sendText<T>(confirm: Confirm, send: (more: { accept_loss?: true }) => Promise<T>): Promise<T> {
  try {
    return await send({});
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.param !== "accept_loss") throw thrown;
    const isMeant = await confirm({
      title: "Save it without part of its text?",
      body: thrown.message,
      confirmLabel: "Save without it",
    });
    if (!isMeant) throw thrown;
    return send({ accept_loss: true });
  }
}

import { ApiError } from "../../../api/client.ts";
import { SERVICE_BACK } from "../../../api/service-events.ts";
import type { Confirm } from "../../../shared/confirm.tsx";

/**
 * Sends a text, or a request to restore one. If the service rejects it because much of the text would be lost, asks the user to
 * accept the loss and then sends it again.
 *
 * @throws ApiError, also the rejection if the user does not accept the loss.
 */
export async function sendText<T>(confirm: Confirm, send: (more: { accept_loss?: true }) => Promise<T>): Promise<T> {
  try {
    return await sendSignedIn(() => send({}));
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.param !== "accept_loss") throw thrown;
    const isMeant = await confirm({
      title: "Save it without part of its text?",
      body: thrown.message,
      confirmLabel: "Save without it",
    });
    if (!isMeant) throw thrown;
    return sendSignedIn(() => send({ accept_loss: true }));
  }
}

/** Sends again once the user has signed in again, which the shell asks for: a refused request has changed nothing. */
export async function sendSignedIn<T>(send: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch (thrown) {
      if (!(thrown instanceof ApiError) || thrown.status !== 401) throw thrown;
    }
    await new Promise<void>((resolve) => {
      window.addEventListener(SERVICE_BACK, () => resolve(), { once: true });
    });
  }
}

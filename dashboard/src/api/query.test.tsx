import { QueryClientProvider, useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { expect, test } from "vitest";
import { show } from "../../test/render.tsx";
import { createQueryClient } from "./query.ts";

function Rotate({ send }: { send: () => Promise<void> }): ReactNode {
  const rotating = useMutation({ mutationFn: send });
  return (
    <button type="button" disabled={rotating.isPending} onClick={() => rotating.mutate()}>
      Rotate
    </button>
  );
}

test("a double click sends a change once, however slow the page is", async () => {
  let sent = 0;
  const send = () => {
    sent += 1;
    return new Promise<void>(() => undefined);
  };
  const screen = await show(
    <QueryClientProvider client={createQueryClient()}>
      <Rotate send={send} />
    </QueryClientProvider>,
  );
  const button = screen.getByRole("button", { name: "Rotate" }).element();
  if (!(button instanceof HTMLButtonElement)) throw new Error("no button");
  button.click();
  // No timer comes between the clicks, as on a page that is busy.
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  button.click();
  await expect.poll(() => button.disabled).toBe(true);
  expect(sent).toBe(1);
});

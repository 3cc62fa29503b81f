import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { show } from "../../test/render.tsx";
import { ApiError } from "../api/client.ts";
import { type Confirmation, ConfirmProvider, useConfirm } from "./confirm.tsx";

const REVOKE = { title: "Revoke the key Shop?", body: "Its requests are refused at once.", confirmLabel: "Revoke" };

/** Asks when its button is pressed, and records the answers. */
async function asking(confirmation: Confirmation) {
  const answers: boolean[] = [];
  const screen = await show(
    <ConfirmProvider>
      <Asker confirmation={confirmation} answers={answers} />
    </ConfirmProvider>,
  );
  await screen.getByRole("button", { name: "Ask" }).click();
  const dialog = screen.getByRole("dialog", { name: confirmation.title });
  await expect.element(dialog).toBeVisible();
  return { dialog, answers };
}

function Asker({ confirmation, answers }: { confirmation: Confirmation; answers: boolean[] }): ReactNode {
  const confirm = useConfirm();
  return <Button onClick={() => void confirm(confirmation).then((answer) => answers.push(answer))}>Ask</Button>;
}

test("the action is done before the dialog closes with yes", async () => {
  const done: string[] = [];
  const { dialog, answers } = await asking({ ...REVOKE, action: () => Promise.resolve(done.push("revoked")) });
  await expect.element(dialog.getByText(REVOKE.body)).toBeVisible();
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await expect.poll(() => answers).toEqual([true]);
  expect(done).toEqual(["revoked"]);
  await expect.element(dialog).not.toBeInTheDocument();
});

for (const key of ["Escape", "Enter"]) {
  test(`nothing is done on ${key}, because the focus is on Cancel at first`, async () => {
    const done: string[] = [];
    const { dialog, answers } = await asking({ ...REVOKE, action: () => Promise.resolve(done.push(key)) });
    await expect.element(dialog.getByRole("button", { name: "Cancel" })).toHaveFocus();
    await userEvent.keyboard(`{${key}}`);
    await expect.poll(() => answers).toEqual([false]);
    await expect.element(dialog).not.toBeInTheDocument();
    expect(done).toEqual([]);
  });
}

test("a failure is explained in the dialog, and can be tried again", async () => {
  let tries = 0;
  const action = () =>
    ++tries === 1 ? Promise.reject(new ApiError(409, "The key is revoked already.")) : Promise.resolve();
  const { dialog, answers } = await asking({ ...REVOKE, action });
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await expect.element(dialog.getByRole("alert")).toHaveTextContent("The key is revoked already.");
  expect(answers).toEqual([]);
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await expect.poll(() => answers).toEqual([true]);
});

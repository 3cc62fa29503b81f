import { afterEach, expect, test, vi } from "vitest";
import { show } from "../../test/render.tsx";
import { CopyButton } from "./copy-button.tsx";

afterEach(() => vi.restoreAllMocks());

test("the text is in the clipboard, and the button says so", async () => {
  const copied: string[] = [];
  vi.spyOn(navigator.clipboard, "writeText").mockImplementation(async (text) => void copied.push(text));
  const screen = await show(<CopyButton value="rs_secret" label="Copy the key" withLabel />);
  await screen.getByRole("button", { name: "Copy the key" }).click();
  await expect.element(screen.getByRole("button", { name: "Copied" })).toBeVisible();
  expect(copied).toEqual(["rs_secret"]);
});

test("without a clipboard, as without TLS, the text is copied by the browser's old command, and the focus stays", async () => {
  vi.spyOn(navigator.clipboard, "writeText").mockRejectedValue(new DOMException("no", "NotAllowedError"));
  const selected: string[] = [];
  const onCopy = () => void selected.push(String(document.getSelection()));
  document.addEventListener("copy", onCopy);
  const screen = await show(<CopyButton value="rs_secret" label="Copy the key" withLabel />);
  await screen.getByRole("button").click();
  document.removeEventListener("copy", onCopy);
  await expect.element(screen.getByRole("button", { name: "Copied" })).toHaveFocus();
  expect(selected).toEqual(["rs_secret"]);
});

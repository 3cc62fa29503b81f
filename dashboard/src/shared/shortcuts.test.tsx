import { Menu, Modal } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { createRoot } from "react-dom/client";
import { beforeEach, expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { show } from "../../test/render.tsx";
import { type Shortcut, ShortcutProvider, useShortcutPause, useShortcuts } from "./shortcuts.tsx";

beforeEach(() => localStorage.clear());

function Keys({ shortcuts }: { shortcuts: readonly Shortcut[] }): ReactNode {
  useShortcuts(shortcuts);
  return null;
}

/** Shows a page with these shortcuts and records the labels of those that ran. */
async function showKeys(keys: Record<string, string>, children?: ReactNode, disabled: readonly string[] = []) {
  const done: string[] = [];
  const shortcuts = Object.entries(keys).map(([keys, label]) => ({
    keys,
    label,
    run: () => void done.push(label),
    disabled: disabled.includes(label),
  }));
  const screen = await show(
    <ShortcutProvider>
      <Keys shortcuts={shortcuts} />
      <label>
        Field <input />
      </label>
      {children}
    </ShortcutProvider>,
  );
  return { done, screen };
}

test("a shortcut of one key works, and one of two keys in a row", async () => {
  const { done } = await showKeys({ a: "approve", "g a": "articles", "?": "help" });
  await userEvent.keyboard("a");
  await userEvent.keyboard("ga");
  await userEvent.keyboard("{Shift>}?{/Shift}");
  expect(done).toEqual(["approve", "articles", "help"]);
});

test("a key works after another one that means nothing", async () => {
  const { done } = await showKeys({ a: "approve", "g o": "overview" });
  await userEvent.keyboard("ga");
  expect(done).toEqual(["approve"]);
});

test("keys typed into a field are text, except with Ctrl", async () => {
  const { done, screen } = await showKeys({ a: "approve", "mod+Enter": "save" });
  const field = screen.getByLabelText("Field");
  await field.click();
  await userEvent.keyboard("banana");
  await userEvent.keyboard("{Control>}{Enter}{/Control}");
  expect(done).toEqual(["save"]);
  await expect.element(field).toHaveValue("banana");
});

test("whoever types on although the field was taken away presses no shortcuts", async () => {
  const { done, screen } = await showKeys({ a: "approve" });
  const field = screen.getByLabelText("Field");
  await field.click();
  await userEvent.keyboard("b");
  field.element().remove();
  await userEvent.keyboard("anan");
  expect(done).toEqual([]);
});

test("a key works at once when the field was left by Escape or sent", async () => {
  const { done, screen } = await showKeys({ a: "approve" });
  const field = screen.getByLabelText("Field");
  await field.click();
  await userEvent.keyboard("b{Escape}");
  field.element().remove();
  await userEvent.keyboard("a");
  expect(done).toEqual(["approve"]);
});

function Pause(): ReactNode {
  const [isPaused, setPaused] = useState(true);
  useShortcutPause(isPaused);
  return (
    <button type="button" onClick={() => setPaused(false)}>
      Loaded
    </button>
  );
}

test("nothing happens while they are paused", async () => {
  const { done, screen } = await showKeys({ a: "approve" }, <Pause />);
  await userEvent.keyboard("a");
  expect(done).toEqual([]);
  await screen.getByRole("button", { name: "Loaded" }).click();
  await userEvent.keyboard("a");
  expect(done).toEqual(["approve"]);
});

test("nothing happens below an open dialog or menu", async () => {
  const dialog = await showKeys(
    { a: "approve" },
    <Modal opened onClose={() => undefined} title="A dialog">
      <button type="button">Inside</button>
    </Modal>,
  );
  await expect.element(dialog.screen.getByRole("dialog")).toBeVisible();
  await userEvent.keyboard("a");
  expect(dialog.done).toEqual([]);
  await dialog.screen.unmount();

  const menu = await showKeys(
    { a: "approve" },
    <Menu opened>
      <Menu.Target>
        <button type="button">More</button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item>Something</Menu.Item>
      </Menu.Dropdown>
    </Menu>,
  );
  await expect.element(menu.screen.getByRole("menu")).toBeVisible();
  await userEvent.keyboard("a");
  expect(menu.done).toEqual([]);
});

test("a key works as soon as its page is on the screen", async () => {
  const done: string[] = [];
  const page = document.createElement("div");
  document.body.append(page);
  const shown = new Promise<void>((resolve) =>
    new MutationObserver(() => {
      document.dispatchEvent(new KeyboardEvent("keydown", { key: "a" }));
      resolve();
    }).observe(page, { childList: true }),
  );
  const root = createRoot(page);
  root.render(
    <ShortcutProvider>
      <Keys shortcuts={[{ keys: "a", label: "approve", run: () => void done.push("approve") }]} />
      <h1>An article</h1>
    </ShortcutProvider>,
  );
  await shown;
  expect(done).toEqual(["approve"]);
  root.unmount();
  page.remove();
});

test("a disabled shortcut does nothing", async () => {
  const { done } = await showKeys({ a: "approve" }, undefined, ["approve"]);
  await userEvent.keyboard("a");
  expect(done).toEqual([]);
});

test("a shortcut of the page takes precedence over the same one of the frame", async () => {
  const done: string[] = [];
  const key = (label: string): Shortcut => ({ keys: "a", label, run: () => void done.push(label) });
  const frame = [key("frame")];
  const page = [key("page")];
  const screen = await show(
    <ShortcutProvider>
      <Keys shortcuts={frame} />
      <Keys shortcuts={page} />
    </ShortcutProvider>,
  );
  await userEvent.keyboard("a");
  await screen.rerender(
    <ShortcutProvider>
      <Keys shortcuts={frame} />
    </ShortcutProvider>,
  );
  await userEvent.keyboard("a");
  expect(done).toEqual(["page", "frame"]);
});

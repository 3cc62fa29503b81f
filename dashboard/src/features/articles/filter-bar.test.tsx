import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { show } from "../../../test/render.tsx";
import { FilterBar } from "./filter-bar.tsx";
import type { ArticlesSearch } from "./search.ts";

test("the conditions stand in a dialog, and each is named", async () => {
  const client = new QueryClient({ defaultOptions: { queries: { enabled: false } } });
  const changes: ArticlesSearch[] = [];
  const shown = await show(
    <QueryClientProvider client={client}>
      <FilterBar websiteId="w" search={{ view: "all" }} onChange={(change) => changes.push(change)} searchRef={null} />
    </QueryClientProvider>,
  );
  await shown.getByRole("button", { name: "Filter" }).click();
  const dialog = shown.getByRole("dialog", { name: "Filter" });
  for (const name of ["Status", "Category", "Author", "Language", "Score", "Finding"]) {
    await expect.element(dialog.getByRole("combobox", { name, exact: true })).toBeVisible();
  }
  await dialog.getByRole("combobox", { name: "Status" }).click();
  await dialog.getByRole("option", { name: "Approved" }).click();
  await dialog.getByRole("textbox", { name: "Updated from" }).fill("2020-01-01");
  expect(changes).toEqual([{ state: "approved" }, { updated_from: "2020-01-01" }]);
});

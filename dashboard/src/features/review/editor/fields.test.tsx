import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { show } from "../../../../test/render.tsx";
import { ArticleFields } from "./fields.tsx";
import { EMPTY } from "./values.ts";

test("the slug's field says how the slug will be stored where that is not as it was typed", async () => {
  const client = new QueryClient({ defaultOptions: { queries: { enabled: false } } });
  const form = (slug: string, storedSlug: string | null) => (
    <QueryClientProvider client={client}>
      <ArticleFields
        websiteId="w"
        articleId={null}
        values={{ ...EMPTY, slug }}
        set={() => undefined}
        errors={{}}
        derived={{ slug: storedSlug ?? "", excerpt: "" }}
        storedSlug={storedSlug}
      />
    </QueryClientProvider>
  );
  const hint = "Leave empty to derive it from the title.";
  for (const [typed, stored, said] of [
    ["", "the-title", hint],
    ["kettle", "kettle", hint],
    ["Kettle & tea!", null, hint],
    ["Kettle & tea!", "Kettle-tea", "Will be Kettle-tea"],
    ["taken", "taken-2", "Will be taken-2"],
  ] as const) {
    const shown = await show(form(typed, stored));
    await expect.element(shown.getByRole("textbox", { name: "Slug" })).toHaveAccessibleDescription(said);
    await shown.unmount();
  }
});

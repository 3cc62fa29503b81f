import assert from "node:assert/strict";
import { test } from "node:test";
import { importAll, testFolder } from "../../import-test-helpers.ts";

test("links and pictures of a vault lead to files in other folders, to the one nearest to the top", async () => {
  await using vault = await testFolder({
    "notes/a.md":
      "---\ntitle: A\n---\n[[Green Tea]], [[green tea#How To|how]], [[deep/Same]], [[Same]], [[b]], [c](C.md), [[absent]] ![[pic.png|300]] ![x](my%20pic.png)\n",
    "notes/b.md": "---\ntitle: B\n---\nB",
    "C.md": "---\ntitle: C\n---\nC",
    "kinds/Green Tea.md": "---\ntitle: Green Tea\n---\nG",
    "deep/deep/Same.md": "---\ntitle: Deep\nslug: deep-same\n---\nS",
    "top/Same.md": "---\ntitle: Top\nslug: top-same\n---\nS",
    "attachments/pic.png": "",
    "attachments/my pic.png": "",
  });
  const website = { urlPattern: "https://w.example/{slug}", language: "en" };
  const items = await importAll(vault.path, { website, dialect: "obsidian" });
  const item = items.find(({ source }) => source === "notes/a.md");
  assert.ok(item?.kind === "draft");
  assert.equal(
    item.input.markdown,
    "[Green Tea](https://w.example/Green-Tea), [how](https://w.example/Green-Tea#how-to), " +
      "[Same](https://w.example/deep-same), [Same](https://w.example/top-same), [b](https://w.example/b), " +
      "[c](https://w.example/C), [absent](absent.md) ![](../attachments/pic.png) ![x](../attachments/my%20pic.png)",
  );
  assert.deepEqual(item.warnings, [{ kind: "link_dead", detail: "absent.md" }]);
});

import { expect, test } from "vitest";
import { SENDER_FIELDS } from "../../../../src/domain/articles/senders/dialect.ts";
import { MAPPED_FIELDS, toForm, toMapping } from "./mapping-form.ts";

test("a mapping comes out of the form as it went in", () => {
  const mapping = {
    event: { at: ["event", "header:X-Event"], means: { published: "article", gone: "removal" } },
    test: ["test=true", "id^=test-"],
    articles: ["data.items[]", ""],
    fields: { title: ["head"], tags: ["labels[0]", "labels"] },
    text: "markdown",
    id: ["ref"],
  } as const;
  expect(toMapping(toForm(mapping))).toEqual(mapping);
});

test("an empty form is no mapping", () => {
  expect(toMapping(toForm(null))).toBeNull();
  expect(toMapping({ ...toForm(null), means: [{ value: "x", kind: "article" }] })).toBeNull();
});

test("every field can be mapped", () => {
  expect([...MAPPED_FIELDS].toSorted()).toEqual([...SENDER_FIELDS].toSorted());
});

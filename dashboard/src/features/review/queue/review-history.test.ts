import { expect, test } from "vitest";
import { getPosition, placeOfNext, type ReviewHistory, withDecided, withoutArticle } from "./review-history.ts";

const place = (index: number | null, total: number, previous_id: string | null, ...next_ids: string[]) => ({
  index,
  total,
  previous_id,
  next_id: next_ids[0] ?? null,
  next_ids,
});
const decided = (id: string, previousId: string | null, nextId: string | null) => ({
  id,
  title: id,
  done: "Approved",
  previousId,
  nextId,
});
const NONE: ReviewHistory = [];

test("the number goes on although the list gets shorter", () => {
  expect(getPosition("a", place(0, 3, null, "b"), NONE)).toMatchObject({ number: 1, total: 3, nextId: "b" });
  const trail = withDecided(NONE, decided("a", null, "b"));
  expect(getPosition("b", place(0, 2, null, "c"), trail)).toMatchObject({ number: 2, total: 3, nextId: "c" });
});

test("one can go back to what was decided, and on again", () => {
  const trail = withDecided(withDecided(NONE, decided("a", null, "b")), decided("b", null, "c"));
  expect(getPosition("c", place(0, 1, null), trail).previousId).toBe("b");
  const gone = place(null, 1, null);
  expect(getPosition("b", gone, trail)).toMatchObject({ number: 2, previousId: "a", nextId: "c", done: "Approved" });
  expect(getPosition("a", gone, trail)).toMatchObject({ number: 1, previousId: null, nextId: "b" });
});

test("an article that is back in the list counts as open", () => {
  const trail = withDecided(NONE, decided("a", null, "b"));
  expect(getPosition("a", place(0, 2, null, "b"), withoutArticle(trail, "a"))).toMatchObject({ number: 1, total: 2 });
});

test("an article that was never in the list has no number", () => {
  expect(getPosition("x", place(null, 5, null), NONE)).toMatchObject({ number: null, nextId: null });
});

test("where the next one stands is known before the service says so", () => {
  const here = place(2, 5, "b", "d", "e");
  expect(placeOfNext("c", here, true)).toEqual(place(2, 4, "b", "e"));
  expect(placeOfNext("c", here, false)).toEqual(place(3, 5, "c", "e"));
  expect(placeOfNext("c", place(2, 9, "b", "d"), true)).toBeUndefined();
  expect(placeOfNext("c", undefined, true)).toBeUndefined();
});

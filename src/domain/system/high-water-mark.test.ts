import assert from "node:assert/strict";
import { test } from "node:test";
import { findSetBack, type HighWaterMark, MAX_MARKED_WEBSITES, raiseMark } from "./high-water-mark.ts";

const at = (websiteId: string, eventSequence: number, contentVersion = eventSequence, epoch = "e") => ({
  websiteId,
  epoch,
  contentVersion,
  eventSequence,
});

test("a website with fewer events, or an earlier content version, was set back; one with the same or more was not", () => {
  const mark: HighWaterMark = new Map();
  assert.equal(raiseMark(mark, [at("a", 5), at("b", 7)]), true);
  assert.equal(raiseMark(mark, [at("a", 5), at("b", 7)]), false);
  assert.equal(findSetBack(mark, [at("a", 5), at("b", 8)]), undefined);
  assert.equal(findSetBack(mark, [at("a", 5), at("b", 6, 9)])?.now.websiteId, "b");
  assert.equal(findSetBack(mark, [at("a", 5, 4)])?.before.contentVersion, 5);
});

test("websites that are new or deleted prove nothing", () => {
  const mark: HighWaterMark = new Map();
  raiseMark(mark, [at("gone", 5)]);
  assert.equal(findSetBack(mark, [at("new", 1)]), undefined);
});

test("an announced restoration has a new epoch and later events; one to a state before it is found by its events", () => {
  const mark: HighWaterMark = new Map();
  raiseMark(mark, [at("a", 5, 9, "before")]);
  const restored = at("a", 1_000_003, 4, "after");
  assert.equal(findSetBack(mark, [restored]), undefined);
  raiseMark(mark, [restored]);
  assert.equal(findSetBack(mark, [at("a", 5, 9, "before")])?.before.eventSequence, 1_000_003);
});

test("of many websites those that changed last are remembered", () => {
  const mark: HighWaterMark = new Map();
  const many = Array.from({ length: MAX_MARKED_WEBSITES }, (_none, index) => at(`w${index}`, 1));
  raiseMark(mark, many);
  raiseMark(mark, [at("w0", 2), at("another", 1)]);
  assert.equal(mark.size, MAX_MARKED_WEBSITES);
  assert.deepEqual([mark.has("w0"), mark.has("w1"), mark.has("another")], [true, false, true]);
});

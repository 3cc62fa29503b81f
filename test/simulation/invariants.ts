/** What holds in every simulation, whatever the receiver does. */
import assert from "node:assert/strict";
import type { RetryPolicy } from "../../src/domain/webhooks/delivery.ts";
import type { Course, Sent, Try } from "./model.ts";

/** @throws AssertionError that names the delivery or the moment at which one of them was broken. */
export function holdTo(course: Course, policy: RetryPolicy): void {
  for (const sent of course.deliveries) nothingIsLost(sent, course, policy);
  orderIsKept(course);
  for (const attempt of course.attempts) windowIsKept(attempt);
  probesAreSpaced(course.attempts, policy);
}

function nothingIsLost(sent: Sent, course: Course, policy: RetryPolicy): void {
  const { attempts, state, no } = sent;
  const good = attempts.filter((attempt) => attempt.isOk).length;
  assert.notEqual(state, "pending", `delivery ${no} was forgotten`);
  assert.equal(good, state === "delivered" ? 1 : 0, `delivery ${no} is ${state} with ${good} answers of 2xx`);
  if (state === "delivered") assert.equal(attempts.at(-1)!.isOk, true);
  const counted = attempts.filter(({ isExtra }) => !isExtra).length;
  if (state === "exhausted") assert.equal(counted, policy.waitsMs.length + 1, `delivery ${no} gave up early`);
  if (state === "parked") assert.ok(course.health.disabledAt! <= sent.endedAt, `delivery ${no} was parked too soon`);
  assert.ok(counted <= policy.waitsMs.length + 1, `delivery ${no} was tried too often`);
}

/** Deliveries of an article do not overlap: the next one's first attempt follows this one's end. */
function orderIsKept(course: Course): void {
  const last = new Map<number, Sent>();
  for (const sent of course.deliveries) {
    const before = last.get(sent.article);
    const began = sent.attempts[0]?.from ?? Infinity;
    assert.ok(before === undefined || before.endedAt <= began, `delivery ${sent.no} overtook ${before?.no}`);
    last.set(sent.article, sent);
  }
}

function windowIsKept({ no, from, plannedAt, underWay, before }: Try): void {
  assert.ok(underWay <= before.window, `delivery ${no} began as the ${underWay}th of a window of ${before.window}`);
  assert.ok(from >= before.notBefore, `delivery ${no} began within the pause`);
  assert.equal(before.state, "sending", `delivery ${no} was sent to an endpoint that is ${before.state}`);
  if (before.failedAttempts < 5) return;
  assert.equal(underWay, 1, `delivery ${no} is the second probe at once`);
  assert.ok(from >= (plannedAt ?? 0), `delivery ${no} was retried before its plan in a streak of failures`);
}

/** After the fifth, sixth, … failure in a row, nothing begins for 1 s, 2 s, … up to the first wait. */
function probesAreSpaced(attempts: readonly Try[], policy: RetryPolicy): void {
  for (const { no, from, before } of attempts) {
    if (before.failedAttempts < 5) continue;
    const pause = Math.min(1_000 * 2 ** (before.failedAttempts - 5), policy.waitsMs[0]!);
    assert.ok(from - before.lastFailureAt! >= pause, `delivery ${no} began too soon after the last failure`);
  }
}

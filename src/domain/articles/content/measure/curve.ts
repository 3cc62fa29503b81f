import type { Curve } from "../limits.ts";

/** The score of a value, not rounded. */
export function interpolate(value: number, curve: Curve): number {
  let [fromValue, fromScore] = curve[0] ?? [0, 0];
  if (value <= fromValue) return fromScore;
  for (const [toValue, toScore] of curve) {
    if (value <= toValue) return fromScore + ((toScore - fromScore) * (value - fromValue)) / (toValue - fromValue);
    [fromValue, fromScore] = [toValue, toScore];
  }
  return fromScore;
}

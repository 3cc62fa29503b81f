/** Where code in Markdown begins, fenced or between backticks, with where it ends. Linear. */
export function codePlaces(text: string): Map<number, number> {
  const ends = new Map<number, number>();
  let fence: { mark: string; start: number } | null = null;
  let at = 0;
  const runs: { at: number; length: number }[] = [];
  for (const line of text.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === null && mark !== undefined) fence = { mark, start: at };
    else if (fence !== null) {
      if (mark?.startsWith(fence.mark) === true && line.trim() === mark) {
        ends.set(fence.start, at + line.length);
        fence = null;
      }
    } else {
      for (const { 0: run, index } of line.matchAll(/`+/g)) runs.push({ at: at + index, length: run.length });
    }
    at += line.length + 1;
  }
  if (fence !== null) ends.set(fence.start, text.length);
  // The next run of the same length closes code; looked up from the end, each is met once.
  const next = new Map<number, number>();
  for (const run of runs.toReversed()) {
    const close = next.get(run.length);
    if (close !== undefined) ends.set(run.at, close + run.length);
    next.set(run.length, run.at);
  }
  return ends;
}

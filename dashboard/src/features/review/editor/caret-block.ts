/** Which block of the rendered article belongs to the line that somebody writes: the preview begins there. */

export function blockAt(text: string, caret: number): (blocks: readonly Element[]) => Element | undefined {
  const line = wordsOf(lineAt(text, caret));
  const share = text.length === 0 ? 0 : caret / text.length;
  return (blocks) => {
    const near = Math.min(blocks.length - 1, Math.round(share * blocks.length));
    const sought = line.slice(0, SOUGHT);
    if (sought.length < MIN_CHARACTERS) return blocks[near];
    let best: { block: Element; distance: number } | undefined;
    blocks.forEach((block, index) => {
      const distance = Math.abs(index - near);
      if (best !== undefined && best.distance <= distance) return;
      if (wordsOf(block.textContent ?? "").includes(sought)) best = { block, distance };
    });
    return best?.block ?? blocks[near];
  };
}

/** So much of a line tells it from others. */
const SOUGHT = 40;
const MIN_CHARACTERS = 3;

/** The line with the caret; of an empty one, the last before it that is not. */
function lineAt(text: string, caret: number): string {
  const end = text.indexOf("\n", caret);
  const upTo = text.slice(0, end === -1 ? text.length : end).trimEnd();
  return upTo.slice(upTo.lastIndexOf("\n") + 1);
}

/** Letters and digits alone, so that no markup stands between. */
function wordsOf(text: string): string {
  return text
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/\]\([^)]*\)/g, "")
    .replaceAll(/&\w+;/g, "")
    .replaceAll(/^\s*\d+[.)]\s/g, "")
    .replaceAll(/[^\p{L}\p{N}]+/gu, "")
    .toLowerCase();
}

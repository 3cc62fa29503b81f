/** Finds the block of the rendered article for the line with the caret; the preview starts there. */

export function blockAt(text: string, caret: number): (blocks: readonly Element[]) => Element | undefined {
  const line = toWords(lineAt(text, caret));
  const share = text.length === 0 ? 0 : caret / text.length;
  return (blocks) => {
    const near = Math.min(blocks.length - 1, Math.round(share * blocks.length));
    const sought = line.slice(0, SOUGHT);
    if (sought.length < MIN_CHARACTERS) return blocks[near];
    let best: { block: Element; distance: number } | undefined;
    blocks.forEach((block, index) => {
      const distance = Math.abs(index - near);
      if (best !== undefined && best.distance <= distance) return;
      if (toWords(block.textContent ?? "").includes(sought)) best = { block, distance };
    });
    return best?.block ?? blocks[near];
  };
}

/** Characters of a line that are enough to identify it. */
const SOUGHT = 40;
const MIN_CHARACTERS = 3;

/** The line with the caret; if it is empty, the last non-empty line before it. */
function lineAt(text: string, caret: number): string {
  const end = text.indexOf("\n", caret);
  const upTo = text.slice(0, end === -1 ? text.length : end).trimEnd();
  return upTo.slice(upTo.lastIndexOf("\n") + 1);
}

/** Letters and digits only, so that markup does not interfere. */
function toWords(text: string): string {
  return text
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/\]\([^)]*\)/g, "")
    .replaceAll(/&\w+;/g, "")
    .replaceAll(/^\s*\d+[.)]\s/g, "")
    .replaceAll(/[^\p{L}\p{N}]+/gu, "")
    .toLowerCase();
}

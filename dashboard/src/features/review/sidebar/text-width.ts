/** Lengths as the quality checks count them: one for each visible character, two for a full-width one. */

export function measureWidth(text: string): number {
  const trimmed = text.trim();
  return [...GRAPHEMES.segment(trimmed)].length + (trimmed.match(WIDE)?.length ?? 0);
}

/** Truncates as a search results page does, at a word boundary if possible. */
export function cutAt(text: string, most: number): string {
  const trimmed = text.trim().replaceAll(/\s+/g, " ");
  if (measureWidth(trimmed) <= most) return trimmed;
  let cut = "";
  let width = 0;
  for (const { segment } of GRAPHEMES.segment(trimmed)) {
    width += measureWidth(segment) || 1;
    if (width >= most) break;
    cut += segment;
  }
  const word = cut.replace(/\s+\S*$/, "");
  return `${word.length > most / 2 ? word : cut.trimEnd()} …`;
}

const GRAPHEMES = new Intl.Segmenter();
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/g;

/**
 * Emphasis beside Chinese, Japanese and Korean. CommonMark takes `**` between punctuation and a letter for an opening or a
 * closing mark by the spaces around it, which these languages do not write: `**標題：**內容` stays as it is. Here their
 * characters may stand on either side, as in the amendment "markdown-cjk-friendly".
 */
const CJK = /[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]/;
const PUNCTUATION = /[\p{P}\p{S}]/u;
const CJK_BESIDE_MARK =
  /[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]\*|\*[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]/;

export const hasCjkBesideMark = (text: string): boolean => CJK_BESIDE_MARK.test(text);

/** What marked has to take for the character before an opening mark, `""` for the beginning of the text. */
export function characterBefore(source: string, before: string): string {
  if (!source.startsWith("*")) return before;
  if (CJK.test(before)) return "";
  let end = 1;
  while (source[end] === "*") end += 1;
  return CJK.test(source[end] ?? "") ? "" : before;
}

/** Puts a letter or a punctuation mark for each such character beside a mark, so that marked finds where emphasis ends. */
export function maskCjk(text: string): string {
  const parts: string[] = [];
  let done = 0;
  for (const { 0: run, index } of text.matchAll(/\*+/g)) {
    const end = index + run.length;
    const [before, after] = [text.charAt(index - 1), text.charAt(end)];
    const [isBefore, isAfter] = [CJK.test(before), CJK.test(after)];
    const stand = !(isBefore && isAfter) && PUNCTUATION.test(isBefore ? after : before) ? "#" : "a";
    if (isBefore && index - 1 >= done) {
      parts.push(text.slice(done, index - 1), stand);
      done = index;
    }
    if (isAfter) {
      parts.push(text.slice(done, end), stand);
      done = end + 1;
    }
  }
  return parts.join("") + text.slice(done);
}

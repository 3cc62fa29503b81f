/** Whether a text has signs that people hardly write outside of Markdown. */
export function looksLikeMarkdown(text: string): boolean {
  const sample = text.slice(0, MAX_SAMPLE);
  return SIGNS.some((sign) => sign.test(sample)) || (sample.match(/^(?:[-*+]|\d{1,3}[.)]) \S/gm)?.length ?? 0) >= 2;
}

const MAX_SAMPLE = 20_000;

const SIGNS = [
  /^#{1,6} \S/m,
  /^(?:`{3}|~{3})/m,
  /^[-*+] \[[ xX]\] /m,
  /^> \S/m,
  /^\|?[ \t]*:?-{3,}:?[ \t]*\|[-:| \t]*$/m,
  /\[[^[\]\n]{1,300}\]\([^()\s]{1,2000}\)/,
  /^\[[^[\]\n]{1,100}\]: \S/m,
  /\*\*[^*\s](?:[^*\n]{0,300}[^*\s])?\*\*/,
  /~~[^~\s](?:[^~\n]{0,300}[^~\s])?~~/,
  /(?:^|\s)`[^`\n]{1,300}`(?=$|[\s.,;:!?)])/m,
];

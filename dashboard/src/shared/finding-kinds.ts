import type {
  FindingFilter,
  FindingKind,
  FINDING_KINDS as ServerKinds,
} from "../../../src/domain/articles/findings.ts";

/** The server's words: the type has them, too. */
export const FINDING_KINDS: typeof ServerKinds = {
  chatbot_voice: "A chatbot speaks",
  knowledge_cutoff: "A chatbot's training is mentioned",
  chat_opener: "Opening of a chat",
  chat_closer: "End of a chat",
  tool_marker: "Mark of an AI tool",
  prompt_echo: "Instructions to a chatbot",
  tool_tracking_link: "Link that names an AI tool",
  placeholder: "Gap to fill in",
  todo: "Note to the writer",
  lorem_ipsum: "Dummy text",
  gibberish: "Random characters",
  cut_off: "The text breaks off",
  unclosed_code: "Code block that is not closed",
  outline_only: "Headings without an article",
  no_article: "No article",
  very_short: "Very short",
  empty_section: "Heading without text",
  raw_markup: "Markup that readers see",
  fenced_article: "Article in a code block",
  json_wrapper: "Article in JSON",
  template_code: "Code of another system",
  mojibake: "Damaged characters",
  escaped_characters: "Character codes that readers see",
  invisible_characters: "Invisible characters",
  placeholder_image: "Picture that does not exist",
  placeholder_link: "Link that leads nowhere",
  dangling_citation: "Note or citation that leads nowhere",
  repeated_paragraph: "Repeated paragraph",
  repeated_sentence: "Repeated sentence",
  near_repeated_paragraph: "Nearly repeated paragraph",
  word_loop: "Words repeated over and over",
  repeated_heading: "Repeated heading",
  mixed_language: "Several languages",
  wrong_language: "Not in the declared language",
  keyword_stuffing: "Phrase used too often",
  title_mismatch: "Title that does not fit the text",
  near_duplicate: "Similar to another article",
};

const { near_duplicate: _ofOthers, ...TEXT_KINDS } = FINDING_KINDS;

/** What lists can be filtered by. */
export const FINDING_FILTERS: Readonly<Record<FindingFilter, string>> = {
  any: "Any finding",
  blocking: "Findings that block",
  ...TEXT_KINDS,
};

/** The name of a finding's kind. */
export function nameFinding(kind: FindingKind): string {
  return FINDING_KINDS[kind];
}

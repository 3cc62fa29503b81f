import type { PhraseBook } from "../phrases.ts";

const REFUSED =
  "assist|fulfil|fulfill|provide|comply|generate|create|write|complete|browse|access|continue|verify|answer|do|help";

/** What a chatbot calls a text that it was asked to change, and one more such word. */
const REVISED =
  "seo|fully|revised|rewritten|updated|polished|improved|final|expanded|completed|requested|edited|corrected|optimized|optimised|humanized ?seo|fully|revised|friendly|optimized|optimised|polished|ready";
const TEXT = "blog|article|post|version|draft|text|content";

export const ENGLISH: PhraseBook = {
  chatbot_voice: [
    "as a|an ?large language model i|my|developed|trained|created|it",
    "as a|an ai ?language ?based model|assistant|chatbot|system i|my|developed|trained|created|it",
    "as a|an ai i|my",
    "as an artificial intelligence ?language ?model i|my|it",
    "i'm ?just|only|merely a|an ?large ai|language language|model|assistant|chatbot",
    "i am ?just|only|merely a|an ?large ai|language language|model|assistant|chatbot",
    "i'm|am just|only|merely an ai",
    `sorry|afraid|apologies|apologize|apologise ?but ?that i can't|cannot|won't ${REFUSED}`,
    `sorry|afraid|apologies|apologize|apologise ?but ?that i'm|i ?am not|unable ?able to ${REFUSED}`,
    "i can't|cannot fulfil|fulfill|comply|assist|complete|generate|browse|access ?with this|that|your|requested|internet|real|external|content",
    "i'm|am unable to fulfil|fulfill|comply|assist|complete|generate|browse|access ?with this|that|your|the|real|external|content",
    "i don't have ?access ?to real time",
    "i do not have ?access ?to real time",
    "i don't|not have personal opinions|experiences|feelings",
    "i don't|not have the ability to browse|access|search",
  ],
  knowledge_cutoff: [
    "as of|since my ?last|latest ?most ?recent knowledge|training|update ?data ?update|cutoff|cut|training",
    "up to my ?last|latest ?most ?recent knowledge|training|update",
    "until my ?last|latest ?most ?recent knowledge|training|update",
    "my knowledge|training ?data cutoff|cut|only|extends|ends|goes|is ?off ?limited",
    "in|from my training data",
    "based on my training data",
    "i don't have ?any information beyond|after|past 20*|my|january|february|march|april|may|june|july|august|september|october|november|december",
    "i do not have ?any information beyond|after|past 20*|my|january|february|march|april|may|june|july|august|september|october|november|december",
  ],
  chat_opener: [
    "^sure|certainly|absolutely|understood here's|here|below|i've|i'll|let",
    "^sure|certainly|absolutely|understood i have|will|can",
    "^of course here's|here|below|i've|i'll",
    "^great ?question here's|here|below|i've|i'll",
    "^got it here's|here|below|i've|i'll",
    "^no problem here's|here|below|i've|i'll",
    `here's your|the|a|an ${REVISED} ${TEXT}`,
    `here is your|the|a|an ${REVISED} ${TEXT}`,
    "^here's your|the article|draft|text|post|blog ?post … you asked|requested",
    "^here is your|the article|draft|text|post|blog ?post … you asked|requested",
    "^here's your article|draft|text|post|blog:",
    "^here is your article|draft|text|post|blog:",
  ],
  chat_closer: [
    "^i hope this|that|these|the … helps|helpful|meets",
    "let me know if you'd like|need|want ?any ?me changes|adjustments|revisions|edits|modifications|to|anything|a|further",
    "let me know if you would like ?any ?me changes|adjustments|revisions|edits|to|anything|a",
    "let me know if you need|want ?any ?me ?further changes|adjustments|revisions|edits|modifications|to",
    "feel free to ask|tell|let ?me ?know if you'd like|need|want ?any changes|adjustments|revisions|edits|me",
    "let me know if there's|there ?is anything ?else you'd like",
    "would you like me to?",
    "do you want me to expand|continue|write|add|adjust|rewrite|make|create|also?",
    "i can ?also expand|adjust|rewrite|tailor|shorten|revise this|it|any|the … if you'd|you ?like|want|prefer|wish",
  ],
  prompt_echo: [
    "^you are a|an expert|professional|seasoned|experienced|seo|skilled|world|senior … writer|copywriter|editor|specialist|expert|journalist|marketer|blogger",
    "^act as a|an expert|professional|seasoned|experienced|seo|skilled|senior … writer|copywriter|editor|specialist|expert|journalist|marketer|blogger",
    "^write|create|generate|draft ?me a|an seo|comprehensive|detailed|engaging|unique|informative … article|blog|post|guide",
    "^write|create|generate|draft ?me a|an 1*|2*|3*|4*|5*|6*|7*|8*|9* word|words … article|blog|post|guide",
    "^please write|create|generate|draft ?me a|an … article|blog|post|guide",
    "^target|focus|primary|main|secondary|seo keyword|keywords|keyphrase:",
    "^target|focus|primary|main key word|phrase:",
    "^tone ?of ?voice:",
    "^word count:",
    "^target audience:",
    "^writing style:",
    "^meta title|description:",
    "^title tag:",
    "^seo title:",
    "^url slug:",
    "^slug:",
    "^search intent:",
    "^output format:",
    "^call to action cta:",
    "^the user wants|asked|is ?asking",
    "^okay|ok|alright|hmm|right the user wants|asked|is",
    "^i need|should ?to write a|an",
    "as ?you requested|instructed in the|your prompt",
  ],
};

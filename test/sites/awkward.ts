/** Tags and slugs that have broken sites, or may. */

const SEPARATED = String.raw`
a/b ¦ a b ¦ a-b ¦ a_b ¦ a.b ¦ a:b ¦ a\b ¦ a?b=c ¦ a#b ¦ a&b ¦ a;b ¦ a=b ¦ a@b ¦ a|b ¦ a+b ¦ a~b
C ¦ C++ ¦ C# ¦ c sharp ¦ F# ¦ .NET ¦ Node.js ¦ 100% ¦ % ¦ %41 ¦ %2F ¦ 50 % off ¦ € ¦ $1 ¦ {x} ¦ № 5
. ¦ .. ¦ ... ¦ ../.. ¦ / ¦ // ¦ /etc ¦ ~ ¦ * ¦ ? ¦ # ¦ & ¦ + ¦ - ¦ _ ¦ ! ¦ ^ ¦ 'a' ¦ "a"
<b> ¦ </script> ¦ <!-- ¦ --> ¦ ]]> ¦ &amp; ¦ &#x27; ¦ {{ a }} ¦ {% a %} ¦ {{< a >}} ¦ [a](b) ¦ \n
index ¦ page ¦ 404 ¦ tags ¦ blog ¦ all ¦ con ¦ nul ¦ null ¦ undefined ¦ true ¦ yes ¦ 0 ¦ 1 ¦ 007 ¦ 1e3
constructor ¦ __proto__ ¦ toString ¦ hasOwnProperty ¦ [object Object] ¦ - a ¦ : a ¦ a: b ¦ # a ¦ 2026-01-01
🍵 ¦ 🍵🍵 ¦ 👩‍🚀 ¦ ☕️ ¦ 茶 ¦ お茶 ¦ 차 ¦ чай ¦ شاي ¦ שי ¦ चाय ¦ ชา ¦ τσάι ¦ İstanbul ¦ straße ¦ ﬁne
Café ¦ Cafe ¦ CAFÉ ¦ Twin ¦ TWIN ¦ twin ¦ été
`;
const LONG = ["very long ".repeat(12), "x".repeat(90), "شاي ".repeat(24), "茶".repeat(90), "🍵".repeat(40)];
const TEXTS = [...SEPARATED.split(/\n| ¦ /), "a\tb", "  spaces  ", "\u200Bzero", "\u202Ertl", ...LONG].filter(Boolean);

/** The first and the last articles are ordinary ones, for checks of other things. */
const FIRST = 30;
const LAST = 15;
const HALF = Math.ceil(TEXTS.length / 2);

/** Two, so that a site of 120 articles has all of them; those that resemble each other are apart. */
export function awkwardTags(index: number): string[] {
  const at = index - FIRST;
  return at < 0 || at >= HALF ? [] : [TEXTS[at], TEXTS[at + HALF]].filter((text) => text !== undefined);
}

/** The title, too. */
export function awkwardSlug(index: number, articles: number): string | undefined {
  const end = articles - LAST;
  return index < end ? TEXTS[index - Math.max(FIRST, end - TEXTS.length)] : undefined;
}

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

/** Earlier articles are ordinary ones, for checks of other things. */
const TAGS_FROM = 30;
const SLUGS_FROM = 150;

export const awkwardTag = (index: number): string | undefined => TEXTS[index - TAGS_FROM];
/** The title, too. */
export const awkwardSlug = (index: number): string | undefined => TEXTS[index - SLUGS_FROM];

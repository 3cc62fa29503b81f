/** The small words of a language, which say nothing about the subject of a text but much about its language. */
export const FUNCTION_WORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  en: toSet(`a about all also an and any are as at be been but by can could did do does done down each for from had has
    have he her here his how i if in into is it its just may might more most my no not now of off on one only or our out
    over she should so some such than that the their them then there these they this those to too two up us very was we
    were what when where which while who why will with would you your`),
  de: toSet(`aber alle als also am an auch auf aus bei bis da dann das dass dem den der des die dies diese diesem diesen
    dieser dieses doch durch ein eine einem einen einer eines er es für hat haben hier ich ihr ihre im in ist ja kann kein
    keine können man mehr mit nach nicht noch nur ob oder ohne sehr sein sich sie sind so soll um und uns unser unter vom
    von vor wann war waren warum was welche wenn wer werden wie wir wird wo würde zu zum zur über`),
  fr: toSet(`à au aux avec ce ces cet cette comme comment dans de depuis des donc dont du elle elles en est et être il
    ils je la le les leur leurs lui mais même ne nos notre nous on ont ou où par pas plus pour pourquoi quand que quel
    quelle qui quoi sa sans se ses si son sont sous sur ta tous tout toute toutes très tu un une vos votre vous y été était`),
  es: toSet(`a al como cómo con cual cuando cuándo de del desde donde dónde el ella ellos en entre era es esa ese esta
    estas este estos está están fue ha hay la las le les lo los mas me mi muy más ni no nos nosotros o para pero por porque
    qué que se ser si sin sobre son su sus sí también te tiene tu un una uno unos usted y ya`),
};

const ALL = new Set(Object.values(FUNCTION_WORDS).flatMap((words) => Array.from(words)));

/** Whether a word, in lower case, is one of any language. */
export function isFunctionWord(word: string): boolean {
  return ALL.has(word);
}

function toSet(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/));
}

/** Articles for the measurements: always the same, with the size and structure that content generators produce. */
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { randomNumbers } from "./statistics.ts";

export const SITE = {
  name: "Bench",
  url: "https://www.example.com",
  urlPattern: "https://www.example.com/blog/{slug}",
};

/** Publication time of the first article; each further one was published an hour earlier. */
const NEWEST_AT = Date.UTC(2026, 5, 1);
const HOUR_MS = 3_600_000;

const THINGS = [
  "the kettle",
  "a cast-iron pan",
  "the garden bench",
  "an old bicycle",
  "the rain barrel",
  "a wool blanket",
];
const PEOPLE = [
  "Most beginners",
  "Careful owners",
  "Our neighbours",
  "Two readers",
  "Small workshops",
  "Patient hands",
];
const ACTIONS = ["look after", "repair", "clean", "choose", "store", "measure", "carry home", "test", "paint"];
const REASONS = [
  "because a little care each week is cheaper than a new one every year",
  "although the instructions in the box say nothing about it",
  "as soon as the first cold nights of autumn arrive",
  "with nothing more than a soft cloth, warm water and some time",
  "so that it still works when the grandchildren ask for it",
  "before the damp of the cellar has a chance to reach the metal",
];
const ADVICE = [
  "Write the date on a piece of tape and put it underneath.",
  "If it squeaks, stop and look before you reach for the oil.",
  "A second opinion costs nothing when the shop is around the corner.",
  "Keep the receipt, the manual and one spare screw in the same envelope.",
  "Nobody notices the difference on the first day, but everybody does after a year.",
];
const TOPICS = ["Garden", "Kitchen", "Workshop", "Travel", "Winter", "Repairs", "Colour", "Wood"];

/** The article with this number as one line of an NDJSON import; its content is 6 to 8 kB of HTML. */
export function benchArticle(number: number) {
  const random = randomNumbers(number + 1);
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? "";
  const thing = pick(THINGS);
  const title = `How to ${pick(ACTIONS)} ${thing}, part ${number}`;
  const at = new Date(NEWEST_AT - number * HOUR_MS).toISOString();
  return {
    title,
    slug: `how-to-part-${number}`,
    content: html(random, pick),
    status: "published",
    meta_description: `${sentence(pick)} ${pick(ADVICE)}`.slice(0, 155),
    target_keyword: thing,
    seo_keywords: [thing, pick(TOPICS).toLowerCase(), "care"],
    featured_image_url: `https://images.example.com/${number}.webp`,
    featured_image_alt: `A photograph of ${thing}`,
    categories: [pick(TOPICS)],
    tags: [...new Set([pick(TOPICS).toLowerCase(), pick(TOPICS).toLowerCase(), "how-to"])],
    created_at: at,
    published_at: at,
  };
}

/** Writes that many articles, beginning with this number, as an NDJSON import; `lines` of their contents. @returns its bytes. */
export async function writeArticles(path: string, first: number, count: number, lines = Infinity): Promise<number> {
  const out = createWriteStream(path);
  await pipeline(function* () {
    for (let number = first; number < first + count; number++) {
      const article = benchArticle(number);
      const content = article.content.split("\n").slice(0, lines).join("\n");
      yield `${JSON.stringify({ ...article, content })}\n`;
    }
  }, out);
  return out.bytesWritten;
}

function html(random: () => number, pick: (list: readonly string[]) => string): string {
  const parts = [paragraph(pick, 4)];
  for (let section = 1; parts.join("").length < 5_600; section++) {
    parts.push(`<h2 id="part-${section}">${pick(TOPICS)}: what to ${pick(ACTIONS)} first</h2>`, paragraph(pick, 4));
    parts.push(`<p>More in <a href="/blog/how-to-part-${Math.floor(random() * 10_000)}">${pick(THINGS)}</a> and at `);
    parts.push(`<a href="https://www.example.org/${section}" rel="noopener">the makers</a>. ${sentence(pick)}</p>`);
    if (section % 2 === 1) parts.push(list(section % 4 === 1 ? "ul" : "ol", pick));
    else parts.push(`<h3>${pick(THINGS)} up close</h3>`, figure(random, pick), paragraph(pick, 3));
    if (section === 3) parts.push(table(random, pick));
  }
  parts.push(`<blockquote><p>${pick(ADVICE)}</p></blockquote>`, paragraph(pick, 3));
  return parts.join("\n");
}

function sentence(pick: (list: readonly string[]) => string): string {
  return `${pick(PEOPLE)} ${pick(ACTIONS)} ${pick(THINGS)} ${pick(REASONS)}.`;
}

function paragraph(pick: (list: readonly string[]) => string, sentences: number): string {
  const text = Array.from({ length: sentences }, () => sentence(pick)).join(" ");
  return `<p>${text} <strong>${pick(ADVICE)}</strong></p>`;
}

function list(tag: "ul" | "ol", pick: (list: readonly string[]) => string): string {
  const items = Array.from({ length: 4 }, () => `<li>${sentence(pick)}</li>`);
  return `<${tag}>\n${items.join("\n")}\n</${tag}>`;
}

function figure(random: () => number, pick: (list: readonly string[]) => string): string {
  const number = Math.floor(random() * 100_000);
  return (
    `<figure><img src="https://images.example.com/p/${number}.webp" alt="${pick(THINGS)} on a table" ` +
    `width="1200" height="800" loading="lazy"><figcaption>${pick(ADVICE)}</figcaption></figure>`
  );
}

function table(random: () => number, pick: (list: readonly string[]) => string): string {
  const rows = Array.from(
    { length: 5 },
    () => `<tr><td>${pick(THINGS)}</td><td>${Math.floor(random() * 90) + 10} minutes</td><td>${pick(TOPICS)}</td></tr>`,
  );
  return `<table><thead><tr><th>What</th><th>Time</th><th>Where</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

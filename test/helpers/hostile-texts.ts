/** Texts that are built to be expensive: each family is one technique, and each of its texts has a size and a seed. */

export interface HostileText {
  /** Family, size and seed. */
  name: string;
  /** The article field to send it as; null: it is a file. */
  field: "markdown" | "content" | null;
  /** File name for the import. */
  file: string;
  text: string;
}

type Make = (bytes: number, random: () => number) => string;

/** Repeats the part until it is about this long. */
const fill = (part: string, bytes: number) => part.repeat(Math.ceil(bytes / Buffer.byteLength(part)));
const pick = (random: () => number, parts: readonly string[]) => parts[Math.floor(random() * parts.length)] ?? "";

const MARKDOWN: Record<string, Make> = {
  "wide table": (bytes) => {
    const columns = Math.max(10, Math.floor(bytes / 20));
    return `|${"a|".repeat(columns)}\n|${"-|".repeat(columns)}\n${fill("x\n", bytes / 2)}`;
  },
  "long table": (bytes) => `|a|b|\n|-|-|\n${fill("|1|2|\n", bytes)}`,
  "front matter of tabs": (bytes) => `---${fill("\t", bytes)}`,
  "front matter that never ends": (bytes) => `---\n${fill("a: b\n", bytes)}`,
  "brace and lines": (bytes) => `{${fill("\n", bytes)}`,
  "highlight tags": (bytes) => fill("{%highlight", bytes),
  "figure shortcodes": (bytes) => fill("{{<figure ", bytes),
  "embed and spaces": (bytes) => `[embed]${fill(" ", bytes)}`,
  "many embeds": (bytes) => fill("[embed]", bytes),
  "fences split by U+2028": (bytes) => fill("```\u2028", bytes),
  "open fences": (bytes) => fill("```\n~~~\n", bytes),
  strikethrough: (bytes) => fill("~~a~~", bytes),
  "strikethrough never closed": (bytes) => fill("~~a ", bytes),
  quotes: (bytes) => fill(">", bytes),
  "nested lists": (bytes) =>
    Array.from({ length: Math.floor(Math.sqrt(bytes)) }, (_none, at) => `${" ".repeat(at)}+ a`).join("\n"),
  "list marks": (bytes) => fill("+ ", bytes),
  "mixed quotes and lists": (bytes, random) => fill(`> ${pick(random, ["-", "+", "1."])} `, bytes),
  emphasis: (bytes) => fill("*a_ ", bytes),
  "emphasis marks": (bytes) => fill("*_", bytes),
  "open brackets": (bytes) => fill("[", bytes),
  "links in links": (bytes) => fill("[a](b", bytes),
  "reference definitions": (bytes, random) => fill(`[${random().toString(36).slice(2)}]: /u\n`, bytes),
  "code spans": (bytes) =>
    Array.from({ length: Math.floor(Math.sqrt(bytes)) }, (_none, at) => "`".repeat(at)).join("a"),
  autolinks: (bytes) => fill("www.a.", bytes),
  "mail addresses": (bytes) => fill("a@", bytes),
  backslashes: (bytes) => fill("\\", bytes),
  "setext lines": (bytes) => fill("a\n=\n", bytes),
  "bold in a paragraph": (bytes) => fill("**a** ", bytes),
};

const HTML: Record<string, Make> = {
  "deep elements": (bytes, random) => fill(`<${pick(random, ["div", "b", "blockquote", "span"])}>`, bytes),
  "quotes with breaks": (bytes) =>
    fill(`${"<blockquote>".repeat(250)}${"<br>".repeat(1_000)}${"</blockquote>".repeat(250)}`, bytes),
  "unclosed formatting": (bytes) => fill("<p><b><i><a href=x>", bytes),
  "open comments": (bytes) => fill("<!--", bytes),
  "open tags": (bytes) => fill("<a ", bytes),
  attributes: (bytes) =>
    `<p ${Array.from({ length: Math.floor(bytes / 9) }, (_none, at) => `a${at}=1`).join(" ")}>x</p>`,
  entities: (bytes, random) => fill(pick(random, ["&amp;", "&lt;", "&notin;", "&#x1F600;", "&"]), bytes),
  tables: (bytes) => fill("<table><tr><td>", bytes),
  "one huge word": (bytes, random) => `<p>${fill(pick(random, ["a", "ä", "漢", "ก"]), bytes)}</p>`,
  "combining marks": (bytes, random) =>
    `<p>a${fill(pick(random, ["\u0316\u0301", "\u0301", "\u05b0\u05bc"]), bytes)}</p>`,
  "ZWJ and surrogates": (bytes, random) =>
    `<p>${fill(pick(random, ["👩‍👩‍👧‍👦", "\u200d", "\u202e\u2066", "\ud83d"]), bytes)}</p>`,
  "different words": (bytes, random) => {
    const words: string[] = [];
    for (let length = 0; length < bytes;) {
      const word = Math.floor(random() * 2 ** 40).toString(36);
      words.push(word);
      length += word.length + 1;
    }
    return `<p>${words.join(" ")}</p>`;
  },
  links: (bytes, random) => fill(`<a href="/${random().toString(36).slice(2)}">a</a>`, bytes),
  "an honest article": (bytes, random) =>
    fill(
      `<h2>A heading ${random().toString(36).slice(2, 6)}</h2><p>The kettle is on the stove, and <a href="/tea">the tea</a> ` +
        `is <em>almost</em> ready; whoever wants a cup may have one before it is cold again.</p>`,
      bytes,
    ),
};

const FILES: Record<string, { file: string; make: Make }> = {
  "YAML anchors": {
    file: "a.md",
    make: (bytes) => {
      const lines = Array.from(
        { length: Math.min(2_000, Math.floor(bytes / 40)) },
        (_none, at) => `k${at + 1}: &a${at + 1} [*a${at}, *a${at}]`,
      );
      return `---\nk0: &a0 [x]\n${lines.join("\n")}\n---\n${fill("text ", bytes / 2)}`;
    },
  },
  "nested JSON": { file: "a.json", make: (bytes) => fill("[", bytes) },
  "nested JSON in an article": {
    file: "a.ndjson",
    make: (bytes) =>
      `{"title":"x","content":"x","quality_metrics":${'{"a":'.repeat(bytes / 6)}1${"}".repeat(bytes / 6)}}\n{"title":"y","content":"y"}`,
  },
  "XML entities": {
    file: "a.xml",
    make: (bytes) => wxr(`<!DOCTYPE x [<!ENTITY a "${"a".repeat(1_000)}">]>`, fill("&a;", bytes)),
  },
  "open CDATA": { file: "a.xml", make: (bytes) => wxr("", fill("<![CDATA[", bytes)) },
  "WordPress shortcodes": { file: "a.xml", make: (bytes) => wxr("", `<![CDATA[${fill("[caption]", bytes)}]]>`) },
  "many lines": { file: "a.ndjson", make: (bytes) => fill('{"title":"x"}\n', bytes) },
};

function wxr(doctype: string, content: string): string {
  return (
    `<?xml version="1.0"?>${doctype}<rss xmlns:content="http://purl.org/rss/1.0/modules/content/" ` +
    'xmlns:wp="http://wordpress.org/export/1.2/"><channel><wp:wxr_version>1.2</wp:wxr_version><item><title>x</title>' +
    `<wp:post_id>1</wp:post_id><content:encoded>${content}</content:encoded></item></channel></rss>`
  );
}

/** Generates one text of each family and size from a deterministic seed. */
export function* hostileTexts(
  sizes: readonly number[],
  randomOf: (seed: number) => () => number,
): Generator<HostileText> {
  let seed = 0;
  for (const bytes of sizes) {
    for (const [field, file, families] of [
      ["markdown", "a.md", MARKDOWN],
      ["content", "a.html", HTML],
    ] as const) {
      for (const [family, make] of Object.entries(families)) {
        const text = make(bytes, randomOf(++seed)).slice(0, bytes);
        yield { name: `${family}, ${bytes} bytes, seed ${seed}`, field, file, text };
      }
    }
    for (const [family, { file, make }] of Object.entries(FILES)) {
      const text = make(bytes, randomOf(++seed));
      yield { name: `${family}, ${bytes} bytes, seed ${seed}`, field: null, file, text };
    }
  }
}

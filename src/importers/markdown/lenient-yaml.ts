/** Front matter that is not YAML to the letter is put into the form that its author meant, line by line. */

const KEY = /^( {0,40}(?:- {1,4})?)([\p{L}\p{N}_$][\p{L}\p{N}_.$/-]{0,100}|"[^"]{0,100}"|'[^']{0,100}'):(?=[ \t]|$)/u;
const ITEM = /^( {0,40}- {1,4})(.*)$/;

interface Line {
  head: string;
  /** Null: the line stays as it is. */
  value: string | null;
}

/** YAML, if the text nearly is: with quotation marks around values that need them, and continued lines joined. */
export function repairYaml(source: string): string {
  const lines: Line[] = [];
  /** Indentation of the key whose text in lines of its own is read. */
  let textOf: number | null = null;
  for (const given of source.split("\n")) {
    const text = withoutTabs(given).trimEnd();
    const indent = text.length - text.trimStart().length;
    if (text === "" || (textOf !== null && indent > textOf) || text.startsWith("#")) {
      lines.push({ head: text, value: null });
      continue;
    }
    textOf = null;
    const last = lines.at(-1);
    const isInside = indent > 0 && last?.value != null && isOpen(last.value);
    const [opening = "", head = "", key = ""] = (isInside ? null : KEY.exec(text)) ?? [];
    const value = text.slice(opening.length).trim();
    const [, before = "", item = ""] = key !== "" || isInside ? [] : (ITEM.exec(text) ?? []);
    if (key !== "") {
      lines.push({ head: `${head}${key}:`, value });
      if (/^[|>][+-]?\d?$/.test(value)) textOf = indent;
    } else if (before !== "") lines.push({ head: before.trimEnd(), value: item });
    else if (last?.value != null) last.value += ` ${text.trim()}`;
    else lines.push({ head: text, value: null });
  }
  return lines
    .map(({ head, value }) => (value === null || value === "" ? head : `${head} ${repairValue(value)}`))
    .join("\n");
}

function withoutTabs(line: string): string {
  const end = line.search(/[^ \t]|$/);
  return line.slice(0, end).replaceAll("\t", "  ") + line.slice(end);
}

/** A list or a text in quotation marks that goes on in the next line. */
function isOpen(value: string): boolean {
  const pairs: Readonly<Record<string, string>> = { "[": "]", "{": "}", '"': '"', "'": "'" };
  const end = pairs[value.charAt(0)];
  return end !== undefined && (value.length === 1 || !value.endsWith(end));
}

function repairValue(value: string): string {
  const first = value.charAt(0);
  if (first === '"') {
    if (/^"(?:[^"\\]|\\["\\/bfnrtue0 ])*"(?:\s+#.*)?$/.test(value)) return value;
    return JSON.stringify(value.slice(1).replace(/"$/, "").replaceAll('\\"', '"'));
  }
  if (first === "'") {
    if (/^'(?:[^']|'')*'(?:\s+#.*)?$/.test(value)) return value;
    return JSON.stringify(value.slice(1).replace(/'$/, "").replaceAll("''", "'"));
  }
  const inList = first === "[" ? value.slice(1).replace(/\]$/, "") : null;
  if (inList !== null && !/[[\]{}"']/.test(inList)) {
    const items = inList.split(",");
    return `[${items.flatMap((item) => (item.trim() === "" ? [] : JSON.stringify(item.trim()))).join(", ")}]`;
  }
  const isPlainText = !/^[[{|>]/.test(value) && (/^[&*!%@`]/.test(value) || /:(?:\s|$)/.test(value));
  return isPlainText || value.startsWith("{{") ? JSON.stringify(value) : value;
}

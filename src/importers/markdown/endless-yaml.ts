import { Lexer } from "yaml";

/** More aliases than any author writes; too few to exhaust the memory. */
export const MAX_ALIASES = 100;
const MAX_ANCHORS = 1000;
/** Nesting of lists and maps. */
const MAX_DEPTH = 50;

/** The lexer's token before the text of a plain or block scalar. */
const SCALAR = "\u001f";

/**
 * Checks the tokens alone, before parsing: a parser searches the whole document for each alias, and takes quadratic time in the
 * nesting depth of lists and maps.
 *
 * @throws RangeError for YAML that is nested too deeply, Error for one with too many anchors or aliases.
 */
export function assertFiniteYaml(source: string): void {
  let aliases = 0;
  let anchors = 0;
  let flows = 0;
  let blocksOfLine = 0;
  let isText = false;
  for (const token of new Lexer().lex(source)) {
    if (isText) {
      isText = false;
      continue;
    }
    isText = token === SCALAR;
    const [first] = token;
    if (first === "*") aliases += 1;
    else if (first === "&") anchors += 1;
    else if (first === "[" || first === "{") flows += 1;
    else if (first === "]" || first === "}") flows -= 1;
    else if (token === "-" || token === "?" || token === ":") blocksOfLine += 1;
    else if (first === "\n") blocksOfLine = 0;
    if (flows > MAX_DEPTH || (flows <= 0 && blocksOfLine > MAX_DEPTH)) throw new RangeError("nested too deeply");
    if (aliases > MAX_ALIASES) throw new Error(`it has more than ${MAX_ALIASES} aliases (*name); write them out`);
    if (anchors > MAX_ANCHORS) throw new Error(`it has more than ${MAX_ANCHORS} anchors (&name); leave some out`);
  }
}

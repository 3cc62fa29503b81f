import { EMOJI_NAMES } from "./emoji-names.ts";

/** Puts the emoji for each name of GitHub's list that stands alone: `:tada:`. */
export function withEmoji(text: string): string {
  if (!text.includes(":")) return text;
  return text.replaceAll(STANDING, (run) =>
    run.replaceAll(NAME, (written, name: string) => getNames().get(name) ?? written),
  );
}

const STANDING = /(?<![\w:/])(?::[a-z0-9_+-]{1,60}:)+(?![\w:])/g;
const NAME = /:([a-z0-9_+-]{1,60}):/g;

let names: ReadonlyMap<string, string> | undefined;

/** Read when a name is met first, which most articles spare. */
function getNames(): ReadonlyMap<string, string> {
  names ??= new Map(
    EMOJI_NAMES.trim()
      .split(/[|\n]/)
      .flatMap((entry) => {
        const [emoji = "", list = ""] = entry.split(" ");
        return list.split(",").map((name): [string, string] => [name, emoji]);
      }),
  );
  return names;
}

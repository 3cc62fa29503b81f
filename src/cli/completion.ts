/** Scripts that make a shell complete commands, options and their values, from the commands' own helps. */
import { type Command, parseOptions, UsageError } from "./command.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

export const completion: Command = {
  summary: "print what makes a shell complete commands and options",
  help: `Usage: rostrum completion ${SHELLS.join("|")}

Prints a script for the shell. It completes commands, options, and the values of options that have a fixed set.

  bash  put "source <(rostrum completion bash)" into ~/.bashrc
  zsh   put "source <(rostrum completion zsh)" into ~/.zshrc, after compinit
  fish  run "rostrum completion fish > ~/.config/fish/completions/rostrum.fish"`,
  async run(args, io) {
    const { positionals } = parseOptions(args, {}, ["The shell"]);
    const shell = SHELLS.find((one) => one === positionals[0]);
    if (shell === undefined)
      throw new UsageError(`There is no completion for "${positionals[0]}", only for ${SHELLS.join(", ")}.`);
    const { loadAllCommands } = await import("./commands.ts");
    io.out(WRITERS[shell](describeWords(await loadAllCommands())));
  },
};

/** The words that may come next, by those before: `""`, `article`, `article list`, `article list --status`. */
export type NextWords = ReadonlyMap<string, readonly string[]>;

export function describeWords(commands: ReadonlyMap<string, Command>): NextWords {
  const next = new Map<string, string[]>([["help", []]]);
  const add = (before: string, word: string): void => {
    const words = next.get(before) ?? [];
    if (!words.includes(word)) next.set(before, [...words, word]);
  };
  add("", "help");
  for (const [name, { help }] of commands) {
    const words = name.split(" ");
    for (const [index, word] of words.entries()) {
      const before = words.slice(0, index).join(" ");
      add(before, word);
      add(before === "" ? "help" : `help ${before}`, word);
    }
    for (const [, option = "", values = ""] of help.matchAll(/(--[a-z][a-z-]*)(?: ([a-z_-]+(?:\|[a-z_-]+)+))?/g)) {
      add(name, option);
      for (const value of values.split("|").filter(Boolean)) add(`${name} ${option}`, value);
    }
    add(name, "--help");
    for (const choice of listChoices(help)) add(name, choice);
  }
  return next;
}

/** The values of an argument, such as `on|off` of `website feeds WEBSITE on|off [--json]`. */
function listChoices(help: string): string[] {
  const usages = help.split("\n").filter((line) => line.startsWith("Usage:"));
  const words = usages.flatMap((line) => line.split(/ --| \[/, 1)).flatMap((line) => line.split(" "));
  return words.filter((word) => word.includes("|")).flatMap((word) => word.split("|"));
}

const WRITERS: Record<(typeof SHELLS)[number], (next: NextWords) => string> = {
  bash: (next) => `_rostrum() {
  local before="" word last="\${COMP_WORDS[COMP_CWORD-1]}" words="" i
${FIND_COMMAND}
  [[ $last == --* ]] && words="$(_rostrum_words "$before $last")"
  [[ -n $words ]] || words="$(_rostrum_words "$before")"
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
  [[ \${#COMPREPLY[@]} -gt 0 ]] || COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
}
${wordTable(next)}
complete -o filenames -F _rostrum rostrum
`,
  zsh: (next) => `autoload -U +X bashcompinit && bashcompinit
${WRITERS.bash(next)}`,
  fish: (next) =>
    `function __rostrum_words
  set -l tokens (commandline -opc)
  set -l last $tokens[-1]
  set -l before
  for word in $tokens[2..]
    set -l longer (string join -- " " $before $word)
    contains -- "$longer" $__rostrum_places; and set before $before $word
  end
  set -l place (string join -- " " $before)
  set -l words
  string match -q -- "--*" $last; and set words (__rostrum_next "$place $last")
  test -n "$words"; or set words (__rostrum_next "$place")
  printf "%s\\n" $words
end
function __rostrum_next
  switch $argv[1]
${[...next].map(([before, words]) => `    case "${before}"\n      printf "%s\\n" ${words.join(" ")}`).join("\n")}
  end
end
set -g __rostrum_places ${[...next.keys()]
      .filter((place) => place !== "" && !place.includes("--"))
      .map((place) => `"${place}"`)
      .join(" ")}
complete -c rostrum -a "(__rostrum_words)"
`,
};

/** Finds the longest command in the line, in \`before\`. */
const FIND_COMMAND = `  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    [[ -n $(_rostrum_words "\${before:+$before }$word") ]] && before="\${before:+$before }$word"
  done`;

function wordTable(next: NextWords): string {
  const cases = [...next].map(([before, words]) => `    "${before}") echo "${words.join(" ")}" ;;`);
  return `_rostrum_words() {\n  case "$1" in\n${cases.join("\n")}\n  esac\n}`;
}

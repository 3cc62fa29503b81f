/**
 * Renderers of Markdown that the system has: hugo, cmark, cmark-gfm, kramdown, Python-Markdown, Discount and pandoc, each with raw
 * HTML switched on. What is not installed is left out.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { articles, deliver, readArticles } from "./markdown.ts";
import { findLive, RENDERERS } from "./renderers.ts";

interface Installed {
  /** A command that prints it. */
  version: string;
  /** A script that writes N.html for each N.md of its folder. */
  script: string;
  /** More texts would take too long. */
  limit?: number;
}

const each = (command: string): string => `for f in *.md; do ${command} < "$f" > "\${f%.md}.html"; done`;

const HUGO = `mkdir layouts
printf '[markup.goldmark.renderer]\\nunsafe = true\\n[markup.highlight]\\ncodeFences = false\\n' > config.toml
sed -i 's/{{/{ {/g' *.md # shortcodes are hugo's, not Markdown's
cat > layouts/index.html <<'END'
{{ range readDir "." }}{{ if strings.HasSuffix .Name ".md" }}
@@@{{ .Name }}@@@
{{ $.RenderString (dict "display" "block") (readFile .Name) }}{{ end }}{{ end }}
END
hugo --quiet -d out >&2
awk '/^@@@[0-9]+.md@@@$/ { close(f); f = substr($0, 4, length($0) - 9) ".html"; next } f { print > f }' out/index.html`;

const KRAMDOWN = `ruby -rkramdown -e '
Dir["*.md"].each do |file|
  html = Kramdown::Document.new(File.read(file, encoding: "utf-8")).to_html
  File.write(file.sub(/md$/, "html"), html)
end'`;

const PYTHON_VERSION = "/usr/bin/python3 -c 'import markdown; print(markdown.__version__)'";
const PYTHON = `/usr/bin/python3 - "$EXTENSION" <<'END'
import glob, markdown, sys
for name in glob.glob("*.md"):
    try:
        html = markdown.markdown(open(name, encoding="utf8").read(), extensions=sys.argv[1].split())
    except Exception:
        continue
    open(name[:-3] + ".html", "w", encoding="utf8").write(html)
END`;

const PANDOC_VERSION = "pandoc --version | head -1";
const PANDOC = `cat > all.lua <<'END'
function Pandoc(doc)
  for name in io.popen("ls *.md"):lines() do
    local file = io.open(name)
    local text = file:read("a")
    file:close()
    local out = io.open(name:sub(1, -4) .. ".html", "w")
    out:write(pandoc.write(pandoc.read(text, os.getenv("FORMAT")), "html"))
    out:close()
  end
end
END
echo | pandoc --lua-filter all.lua -t plain`;

const INSTALLED: Readonly<Record<string, Installed>> = {
  cmark: { version: "cmark --version", script: each("cmark --unsafe") },
  "cmark-gfm": {
    version: "cmark-gfm --version",
    script: each("cmark-gfm --unsafe -e table -e strikethrough -e autolink -e tasklist -e footnotes"),
  },
  "goldmark in hugo": { version: "hugo version", script: HUGO },
  kramdown: { version: "ruby -rkramdown -e 'puts Kramdown::VERSION'", script: KRAMDOWN },
  "Python-Markdown": { version: PYTHON_VERSION, script: `EXTENSION=\n${PYTHON}` },
  "Python-Markdown with extra": { version: PYTHON_VERSION, script: `EXTENSION=extra\n${PYTHON}` },
  Discount: { version: "markdown -V", script: each("markdown -f +fencedcode") },
  "pandoc's gfm": { version: PANDOC_VERSION, script: `export FORMAT=gfm\n${PANDOC}`, limit: 5_000 },
  "pandoc's markdown": { version: PANDOC_VERSION, script: `export FORMAT=markdown\n${PANDOC}`, limit: 5_000 },
};

interface Finding {
  /** The number of texts that were rendered. */
  texts: number;
  /** The number of those with something live. */
  live: number;
  /** The shortest of these, and what is live. */
  examples: { what: string; markdown: string }[];
}

const MAX_EXAMPLES = 5;
const MAX_SHOWN = 300;

/** Delivers generated articles, and says of each renderer, ours and those installed, how often something was live. */
export function* compareRenderers(of: { folders: string[]; runs: number; seed: number }): Generator<string> {
  const { folders, runs: numRuns, seed } = of;
  const delivered = fc.sample(articles(readArticles(folders)), { numRuns, seed }).map(deliver);
  const texts = delivered.filter((text) => text !== null);
  yield `${numRuns} articles (seed ${seed}), of which ${numRuns - texts.length} were refused`;
  for (const [name, render] of Object.entries(RENDERERS))
    yield describe(
      name,
      judge(texts, (text) => render(text)),
    );
  for (const [name, { version, script, limit = Infinity }] of Object.entries(INSTALLED)) {
    const { status, stdout } = spawnSync("bash", ["-c", version], { encoding: "utf8" });
    if (status !== 0) continue;
    const some = texts.slice(0, limit);
    const folder = mkdtempSync(join(tmpdir(), "rostrum-renderer-"));
    try {
      for (const [number, text] of some.entries()) writeFileSync(join(folder, `${number}.md`), text);
      spawnSync("bash", ["-c", script], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
      const readHtml = (number: number) => {
        const path = join(folder, `${number}.html`);
        return existsSync(path) ? readFileSync(path, "utf8") : null;
      };
      yield describe(
        `${name} (${stdout.trim().split("\n")[0]})`,
        judge(some, (_text, number) => readHtml(number)),
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

function judge(texts: readonly string[], render: (text: string, number: number) => string | null): Finding {
  const examples: Finding["examples"] = [];
  let rendered = 0;
  for (const [number, markdown] of texts.entries()) {
    const html = render(markdown, number);
    if (html === null) continue;
    rendered += 1;
    const what = findLive(html);
    if (what !== null) examples.push({ what, markdown });
  }
  examples.sort((one, other) => one.markdown.length - other.markdown.length);
  return { texts: rendered, live: examples.length, examples: examples.slice(0, MAX_EXAMPLES) };
}

function describe(renderer: string, { texts, live, examples }: Finding): string {
  const shown = examples.map(({ what, markdown }) => `    ${what} in ${JSON.stringify(markdown.slice(0, MAX_SHOWN))}`);
  return [`${renderer}: ${live} of ${texts}`, ...shown].join("\n");
}

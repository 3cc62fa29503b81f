#!/usr/bin/env node
/** `npx ./create-rostrum-site-….tgz`: asks for what it was not told, and writes the site. */
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { createSite, type SiteAnswers, TEMPLATES, type Template } from "./create-site.ts";

const HELP = `Usage: create-rostrum-site [FOLDER] [options]

Writes a website for the articles of a Rostrum service into a new folder.

  --template astro|next  the generator (default: astro)
  --title TITLE          the site's title (default: the folder's name)
  --url URL              the address of the Rostrum service
  --key-file FILE        a file with an API key of the website, of scope "published"; - for standard input

On a terminal it asks for what is missing. Address and key go into .env, which git ignores; they can be added there later.
`;

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function main(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args);
  if (values.help === true) {
    process.stdout.write(HELP);
    return 0;
  }
  const given = {
    folder: positionals[0],
    template: values.template,
    title: values.title,
    url: values.url,
    key: values["key-file"] === undefined ? undefined : await readKey(values["key-file"]),
  };
  const answers = process.stdin.isTTY ? await ask(given) : given;
  if (answers.folder === undefined) throw new Error("Name a folder, for example my-site.");
  const { folder, template } = createSite({
    ...answers,
    folder: answers.folder,
    template: toTemplate(answers.template),
  });
  process.stdout.write(`The site is in ${folder}. Next:

  cd ${folder}
  npm install
${answers.url === undefined || answers.key === undefined ? "  # put the service's address and an API key into .env\n" : ""}  npm run dev

README.md there says how to build and deploy it${template === "next" ? ", and how webhooks keep it fresh" : ""}.
`);
  return 0;
}

type Given = { [Name in keyof SiteAnswers]: string | undefined };

async function ask(given: Given): Promise<Given> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = async (question: string, preset?: string) => {
    const said = (await terminal.question(preset === undefined ? `${question} ` : `${question} (${preset}) `)).trim();
    return said === "" ? preset : said;
  };
  try {
    return {
      folder: given.folder ?? (await answer("Folder of the new site:", "my-site")),
      template: given.template ?? (await answer(`Generator, ${TEMPLATES.join(" or ")}:`, "astro")),
      title: given.title ?? (await answer("Title of the site, empty for the folder's name:")),
      url: given.url ?? (await answer("Address of the Rostrum service, empty to add it later:")),
      key: given.key ?? (await answer("API key of the website, of scope published, empty to add it later:")),
    };
  } finally {
    terminal.close();
  }
}

function readArguments(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        template: { type: "string" },
        title: { type: "string" },
        url: { type: "string" },
        "key-file": { type: "string" },
        help: { type: "boolean" },
      },
    });
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`, { cause: error });
  }
}

async function readKey(file: string): Promise<string> {
  return (file === "-" ? await text(process.stdin) : readFileSync(file, "utf8")).trim();
}

function toTemplate(name = "astro"): Template {
  const found = TEMPLATES.find((one) => one === name);
  if (found === undefined) throw new Error(`There is no template "${name}"; choose ${TEMPLATES.join(" or ")}.`);
  return found;
}

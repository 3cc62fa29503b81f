/** How a code block is shown: with its language, which is chosen by typing, and a button that copies the code. */
import type { Node } from "prosemirror-model";
import type { EditorView, NodeView, NodeViewConstructor, ViewMutationRecord } from "prosemirror-view";
import { copyText } from "../../../../../shared/copy-text.ts";
import { firstWord, setLanguage } from "./code-language.ts";

export const codeView: NodeViewConstructor = (node, view, getPosition) => new CodeView(node, view, getPosition);

const COPIED_MS = 2_000;

class CodeView implements NodeView {
  readonly dom = document.createElement("div");
  readonly contentDOM = document.createElement("code");
  readonly #tools = document.createElement("div");
  readonly #language = document.createElement("input");
  readonly #copy = document.createElement("button");
  readonly #view: EditorView;
  readonly #getPosition: () => number | undefined;
  #node: Node;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(node: Node, view: EditorView, getPosition: () => number | undefined) {
    this.#node = node;
    this.#view = view;
    this.#getPosition = getPosition;
    const pre = document.createElement("pre");
    pre.append(this.contentDOM);
    this.dom.dataset["code"] = "";
    // After the code, so that Tab goes there from it.
    this.dom.append(pre, this.#tools);
    this.#tools.contentEditable = "false";
    this.#createLanguage();
    this.#copy.type = "button";
    this.#copy.textContent = COPY;
    this.#copy.setAttribute("aria-live", "polite");
    this.#copy.addEventListener("click", () => void this.#copyCode());
    this.#tools.append(this.#language, this.#copy);
  }

  update(node: Node): boolean {
    if (node.type !== this.#node.type) return false;
    const isOther = node.attrs["info"] !== this.#node.attrs["info"];
    this.#node = node;
    if (isOther) this.#showLanguage();
    return true;
  }

  stopEvent({ target }: Event): boolean {
    return target instanceof Element && this.#tools.contains(target);
  }

  ignoreMutation(mutation: ViewMutationRecord): boolean {
    return mutation.type !== "selection" && !this.contentDOM.contains(mutation.target);
  }

  destroy(): void {
    clearTimeout(this.#timer);
  }

  #createLanguage(): void {
    const field = this.#language;
    field.setAttribute("aria-label", "Language of the code");
    field.placeholder = "Language";
    field.autocomplete = "off";
    field.spellcheck = false;
    const known = document.createElement("datalist");
    known.id = `languages-${nextId()}`;
    known.append(...LANGUAGES.map((language) => new Option(language)));
    field.setAttribute("list", known.id);
    this.#tools.append(known);
    field.addEventListener("change", () => this.#saveLanguage());
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== "Escape") return;
      // Enter would submit the article's form.
      event.preventDefault();
      event.stopPropagation();
      if (event.key === "Enter") this.#saveLanguage();
      this.#showLanguage();
      this.#view.focus();
    });
    this.#showLanguage();
  }

  #showLanguage(): void {
    const language = firstWord(String(this.#node.attrs["info"]));
    this.#language.value = language;
    this.#language.size = Math.max(8, language.length);
  }

  #saveLanguage(): void {
    const position = this.#getPosition();
    if (position === undefined) return;
    setLanguage(position, this.#language.value)(this.#view.state, this.#view.dispatch);
  }

  async #copyCode(): Promise<void> {
    const isCopied = await copyText(this.#node.textContent);
    this.#copy.textContent = isCopied ? "Copied" : "Not copied";
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#copy.textContent = COPY;
    }, COPIED_MS);
  }
}

const COPY = "Copy";

let lastId = 0;

function nextId(): number {
  lastId += 1;
  return lastId;
}

/** As highlighters call them. Others can be typed. */
const LANGUAGES = [
  "bash",
  "c",
  "cpp",
  "csharp",
  "css",
  "dart",
  "diff",
  "dockerfile",
  "elixir",
  "go",
  "graphql",
  "html",
  "ini",
  "java",
  "javascript",
  "json",
  "jsx",
  "kotlin",
  "lua",
  "markdown",
  "php",
  "powershell",
  "python",
  "r",
  "ruby",
  "rust",
  "scss",
  "sh",
  "sql",
  "swift",
  "toml",
  "tsx",
  "typescript",
  "xml",
  "yaml",
];

/** How an embedded video is shown: as a card that names it. Nothing of the service is loaded before it is asked for. */
import type { Node } from "prosemirror-model";
import type { EditorView, NodeView } from "prosemirror-view";
import { type Embed, findFrame } from "../../document/embeds.ts";

interface ShownEmbed extends Embed {
  title: string;
}

/** @returns the video that the source shows and nothing else; null if there is none, or the publisher would remove it. */
export function readEmbed(source: string): ShownEmbed | null {
  if (!/<iframe\b/i.test(source)) return null;
  const { body } = new DOMParser().parseFromString(source, "text/html");
  const [frame, other] = body.querySelectorAll("iframe");
  const isAlone = frame !== undefined && other === undefined && !body.querySelector(OTHERS);
  // What is in a frame's tags is shown by no browser.
  const text = isAlone ? body.textContent.replace(frame.textContent, "") : "";
  const found = isAlone && text.trim() === "" ? findFrame(frame.getAttribute("src") ?? "") : null;
  return found === null ? null : { ...found, title: frame?.getAttribute("title")?.trim() ?? "" };
}

const OTHERS = "img, video, audio, object, embed, script, style, form, svg, table";

export class EmbedView implements NodeView {
  readonly dom = document.createElement("div");
  readonly #name = document.createElement("strong");
  readonly #address = document.createElement("span");
  readonly #show = document.createElement("button");
  readonly #frame = document.createElement("div");
  #node: Node;
  #embed: ShownEmbed;

  constructor(node: Node, embed: ShownEmbed, { view, edit }: { view: EditorView; edit: (node: Node) => void }) {
    this.#node = node;
    this.#embed = embed;
    this.dom.dataset["embed"] = "";
    const head = document.createElement("div");
    const words = document.createElement("div");
    const change = document.createElement("button");
    words.append(this.#name, this.#address);
    for (const button of [this.#show, change]) button.type = "button";
    this.#show.textContent = "Show";
    this.#show.addEventListener("click", () => this.#load());
    change.textContent = "Edit source";
    change.addEventListener("click", () => view.editable && edit(this.#node));
    head.append(words, this.#show, change);
    this.#frame.dataset["frame"] = "";
    this.dom.append(head, this.#frame);
    this.#describe();
  }

  update(node: Node): boolean {
    const embed = node.type === this.#node.type ? readEmbed(String(node.attrs["source"])) : null;
    if (embed === null) return false;
    const isOther = embed.src !== this.#embed.src;
    this.#node = node;
    this.#embed = embed;
    this.#describe();
    if (isOther) {
      this.#frame.replaceChildren();
      this.#show.hidden = false;
    }
    return true;
  }

  stopEvent({ target, type }: Event): boolean {
    return target instanceof HTMLButtonElement && type !== "dragstart";
  }

  ignoreMutation(): boolean {
    return true;
  }

  #describe(): void {
    const { service, title, src } = this.#embed;
    this.#name.textContent = title === "" || title === `${service} video` ? service : `${service}: ${title}`;
    this.#address.textContent = src;
  }

  #load(): void {
    const made = document.createElement("iframe");
    made.title = this.#name.textContent;
    // Services refuse players whose page they do not know.
    made.referrerPolicy = "strict-origin-when-cross-origin";
    made.allow = "fullscreen; encrypted-media; picture-in-picture";
    made.setAttribute("sandbox", "allow-scripts allow-same-origin allow-popups allow-presentation");
    made.src = this.#embed.src;
    this.#frame.replaceChildren(made);
    this.#show.hidden = true;
  }
}

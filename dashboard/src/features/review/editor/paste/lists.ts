/** Lists as other programs write them: beside each other instead of nested, as paragraphs, with boxes of tasks. */
import { rename } from "./elements.ts";

export function cleanLists(body: Element): void {
  // The ends of paragraphs of Word on the web.
  for (const end of body.querySelectorAll("span.EOP")) end.remove();
  readWordLists(body);
  joinOnlineLists(body);
  nestLists(body);
  for (const item of body.querySelectorAll("li")) readTask(item);
}

/** Moves lists that stand directly in lists into the item before them. */
function nestLists(body: Element): void {
  for (const inner of body.querySelectorAll(":is(ul, ol) > :is(ul, ol)")) {
    const item = inner.previousElementSibling;
    if (item?.tagName === "LI") item.append(inner);
  }
}

/** Word on the web wraps each item in a list of its own. */
function joinOnlineLists(body: Element): void {
  let lists: { level: number; element: Element }[] = [];
  let previous: Element | null = null;
  for (const wrapper of body.querySelectorAll(".ListContainerWrapper")) {
    const list = wrapper.querySelector("ul, ol");
    const item = list?.querySelector("li");
    if (!list || !item) continue;
    const level = Number(item.getAttribute("data-aria-level") ?? 1) || 1;
    if (wrapper.previousElementSibling !== previous) lists = [];
    lists = lists.filter((one) => one.level <= level);
    const same = lists.at(-1);
    if (same?.level === level && same.element.tagName === list.tagName) {
      same.element.append(...list.children);
      wrapper.remove();
      continue;
    }
    if (same?.level === level) lists.pop();
    const parent = lists.at(-1);
    lists.push({ level, element: list });
    if (parent === undefined) {
      wrapper.replaceWith(list);
      previous = list;
    } else {
      (parent.element.lastElementChild ?? parent.element).append(list);
      wrapper.remove();
    }
  }
}

/** Desktop Word writes lists as paragraphs. */
function readWordLists(body: Element): void {
  for (const title of body.querySelectorAll("p.MsoTitle")) rename(title, "h1");
  for (const one of body.querySelectorAll("p.MsoSubtitle")) rename(one, "h2");
  const lists: { level: number; element: Element }[] = [];
  let previous: Element | null = null;
  for (const paragraph of body.querySelectorAll("p")) {
    const level = Number(/mso-list:\s*l\d+ level(\d)/.exec(paragraph.getAttribute("style") ?? "")?.[1] ?? 0);
    if (level === 0) continue;
    const sign = [...paragraph.querySelectorAll("span")].find((span) =>
      (span.getAttribute("style") ?? "").includes("mso-list:Ignore"),
    );
    const name = /^[\s\u00A0]*(?:\d|[a-z]{1,4}[.)])/i.test(sign?.textContent ?? "") ? "ol" : "ul";
    sign?.remove();
    if (paragraph.previousElementSibling !== previous) lists.length = 0;
    while (lists.length > 0 && (lists.at(-1)?.level ?? 0) > level) lists.pop();
    let current = lists.at(-1);
    if (current === undefined || current.level < level) {
      const element = body.ownerDocument.createElement(name);
      if (current === undefined) paragraph.before(element);
      else (current.element.lastElementChild ?? current.element).append(element);
      current = { level, element };
      lists.push(current);
    }
    const item = body.ownerDocument.createElement("li");
    item.append(...paragraph.childNodes);
    current.element.append(item);
    paragraph.remove();
    previous = lists[0]?.element ?? null;
  }
}

/** Finds a task's box, removes it, and records whether it is checked. */
function readTask(item: HTMLElement): void {
  const box = item.querySelector<HTMLElement>(BOXES);
  const isOwn = box !== null && box.closest("li") === item;
  let checked: boolean | null = null;
  const role = item.getAttribute("role") === "checkbox" ? item.getAttribute("aria-checked") : item.dataset["checked"];
  if (role !== null && role !== undefined) {
    checked = role === "true";
    // Google Docs draws the box.
    item.querySelector(':scope > img[src^="data:"]')?.remove();
  } else if (isOwn) {
    const isInput = box.tagName === "INPUT";
    checked = isInput ? box.hasAttribute("checked") : /-on\b/.test(box.className);
  } else {
    checked = readSign(item);
  }
  if (isOwn) box.remove();
  if (checked === null) delete item.dataset["checked"];
  else item.dataset["checked"] = String(checked);
}

/** In HTML a task's box is an element of its text. */
export function writeBoxes(body: Element): void {
  for (const item of body.querySelectorAll<HTMLElement>("li[data-checked]")) writeBox(item);
}

function writeBox(item: HTMLElement): void {
  const { checked } = item.dataset;
  if (checked === undefined) return;
  delete item.dataset["checked"];
  const box = item.ownerDocument.createElement("input");
  box.type = "checkbox";
  box.toggleAttribute("checked", checked === "true");
  const first = item.firstElementChild;
  (first?.tagName === "P" ? first : item).prepend(box, " ");
}

const BOXES = 'input[type="checkbox"], .checkbox-on, .checkbox-off';

/** Notion copies tasks as items that begin with `[ ]`. */
function readSign(item: Element): boolean | null {
  const walker = item.ownerDocument.createTreeWalker(item, NodeFilter.SHOW_TEXT);
  let node = walker.nextNode();
  while (node !== null && (node.nodeValue ?? "").trim() === "") node = walker.nextNode();
  const sign = /^\s*\[([ xX])\]\s+/.exec(node?.nodeValue ?? "");
  if (node === null || sign === null) return null;
  node.nodeValue = (node.nodeValue ?? "").slice(sign[0].length);
  return sign[1] !== " ";
}

/** Cleans the clipboard content of other programs before the schema parses it. */

/** @returns the HTML to parse, and whether pictures were removed because they exist only on the other computer. */
export function cleanPasted(html: string): { html: string; hasLostImages: boolean } {
  // An inert document loads and runs nothing.
  const { body } = new DOMParser().parseFromString(html, "text/html");
  for (const one of body.querySelectorAll("style, script, meta, link, xml, title, [data-island]")) one.remove();
  unwrapAll(body.querySelectorAll('b[id^="docs-internal-guid"]'));
  cleanWord(body);
  for (const link of body.querySelectorAll<HTMLAnchorElement>("a[href]")) {
    const target = redirectTarget(link.getAttribute("href") ?? "");
    if (target !== null) link.setAttribute("href", target);
  }
  nestLists(body);
  let hasLostImages = false;
  for (const image of body.querySelectorAll("img")) {
    if (/^(?:https?:)?\/\/|^\//i.test(image.getAttribute("src") ?? "")) continue;
    hasLostImages = true;
    image.remove();
  }
  // Headings are bold anyway.
  for (const bold of body.querySelectorAll<HTMLElement>(":is(h1, h2, h3, h4, h5, h6) :is(b, strong, span)")) {
    bold.style.removeProperty("font-weight");
    if (bold.tagName !== "SPAN") unwrap(bold);
  }
  for (const normal of body.querySelectorAll<HTMLElement>("b, strong")) {
    if (/^(?:normal|[1-4]00)$/.test(normal.style.fontWeight)) unwrap(normal);
  }
  for (const normal of body.querySelectorAll<HTMLElement>("i, em"))
    if (normal.style.fontStyle === "normal") unwrap(normal);
  return { html: body.innerHTML, hasLostImages };
}

function unwrap(element: Element): void {
  element.replaceWith(...element.childNodes);
}

function unwrapAll(elements: Iterable<Element>): void {
  for (const element of elements) unwrap(element);
}

/** Google Docs wraps the addresses of links in its own. */
function redirectTarget(address: string): string | null {
  try {
    const url = new URL(address);
    const isRedirect = /^(?:www\.)?google\.[a-z.]+$/.test(url.hostname) && url.pathname === "/url";
    return isRedirect ? url.searchParams.get("q") : null;
  } catch {
    return null;
  }
}

/** Moves lists that stand directly in lists into the item before them. */
function nestLists(body: Element): void {
  for (const inner of body.querySelectorAll(":is(ul, ol) > :is(ul, ol)")) {
    const item = inner.previousElementSibling;
    if (item?.tagName === "LI") item.append(inner);
  }
}

function cleanWord(body: Element): void {
  unwrapAll(body.querySelectorAll("o\\:p, w\\:sdt, st1\\:place"));
  for (const title of body.querySelectorAll("p.MsoTitle")) rename(title, "h1");
  for (const one of body.querySelectorAll("p.MsoSubtitle")) rename(one, "h2");
  const lists: { level: number; element: Element }[] = [];
  let previous: Element | null = null;
  for (const paragraph of body.querySelectorAll<HTMLElement>("p")) {
    const style = paragraph.getAttribute("style") ?? "";
    const level = Number(/mso-list:\s*l\d+ level(\d)/.exec(style)?.[1] ?? 0);
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

function rename(element: Element, name: string): void {
  const made = element.ownerDocument.createElement(name);
  made.append(...element.childNodes);
  element.replaceWith(made);
}

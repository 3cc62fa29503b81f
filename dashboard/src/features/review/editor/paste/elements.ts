/** Changes elements and keeps their content. */

export function unwrap(element: Element): void {
  element.replaceWith(...element.childNodes);
}

export function unwrapAll(elements: Iterable<Element>): void {
  for (const element of elements) unwrap(element);
}

/** @returns the element that has taken the place of the other. */
export function rename(element: Element, name: string): Element {
  const made = element.ownerDocument.createElement(name);
  made.append(...element.childNodes);
  element.replaceWith(made);
  return made;
}

/** Finds the source of a block in the document. Top-level blocks are parsed again when they are needed. */
import type { Node } from "prosemirror-model";
import type { BlockDetail } from "./parsed.ts";
import type { SourceBlock, EditedSource } from "./edited-source.ts";

/** A block, with the source of the top-level block that contains it. */
export interface KnownBlock {
  detail: BlockDetail;
  sibling: (sid: number) => BlockDetail | undefined;
  text: (start: number, end: number) => string;
}

export interface Origins {
  find: (node: Node) => KnownBlock | null;
}

/** `definitions`: Markdown that must follow a block so that its links resolve. */
export function openOrigins(edited: EditedSource, definitions: string): Origins {
  const read = new Map<SourceBlock, Map<number, BlockDetail> | null>();

  function details(origin: SourceBlock): Map<number, BlockDetail> | null {
    const found = read.get(origin);
    if (found !== undefined) return found;
    const parsed = edited.parse(origin.source + definitions, origin.sid);
    const [first] = parsed.blocks;
    const node = first === undefined ? undefined : parsed.details.get(first)?.node;
    // Some blocks have another meaning when they stand alone; none of their source can be reused then.
    const made = node?.eq(origin.node) === true ? parsed.details : null;
    read.set(origin, made);
    return made;
  }

  return {
    find: (node) => {
      const sid: unknown = node.attrs["sid"];
      if (typeof sid !== "number") return null;
      const origin = findOrigin(edited.origins, sid);
      if (origin === undefined) return null;
      const all = details(origin);
      const detail = all?.get(sid);
      if (detail === undefined || detail.node.type !== node.type) return null;
      const { source } = origin;
      return { detail, sibling: (one) => all?.get(one), text: (start, end) => source.slice(start, end) };
    },
  };
}

/** The top-level block that contains the block with this number. Numbers rise in source order. */
function findOrigin(origins: readonly SourceBlock[], sid: number): SourceBlock | undefined {
  let low = 0;
  let high = origins.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((origins[middle] as SourceBlock).sid <= sid) low = middle + 1;
    else high = middle;
  }
  return origins[low - 1];
}

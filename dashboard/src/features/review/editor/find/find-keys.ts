import { Plugin } from "prosemirror-state";

/** Opens the bar. The browser's own search finds only what is on the screen, and replaces nothing. */
export function findKeys(open: () => void): Plugin {
  return new Plugin({
    props: {
      handleKeyDown: (_, event) => {
        const isMod = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
        if (!isMod || event.key.toLowerCase() !== "f") return false;
        open();
        return true;
      },
    },
  });
}

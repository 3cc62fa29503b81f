/** What a colleague's change has brought into the text, which the views mark. */
import { createContext, useContext } from "react";

export interface MergedText {
  /** The text with the change: what the views show once they have loaded it. */
  text: string;
  /** Who made the change. */
  by: string;
}

const MergedContext = createContext<MergedText | null>(null);
export const MergedProvider = MergedContext.Provider;

/** null: nothing is marked. */
export function useMergedText(): MergedText | null {
  return useContext(MergedContext);
}

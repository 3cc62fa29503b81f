import type { Format } from "../document/fingerprint.ts";
import type { FoundPicture } from "./picture-values.ts";

/** What the dialog is opened for. `key` is another one each time. */
export type PictureTask =
  | { kind: "add"; key: number; format: Format }
  | { kind: "change"; key: number; format: Format; picture: FoundPicture; start: ChangeStart }
  /** For a field of the article, which has its own alternative text. */
  | { kind: "choose"; key: number };

/** The part of the dialog that has the focus first. */
export type ChangeStart = "caption" | "alt" | "size" | "replace";

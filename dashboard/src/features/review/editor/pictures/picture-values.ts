/** What the editor and its dialog know of a picture in a text. */
export interface PictureValues {
  src: string;
  alt: string;
  /** Empty: it has none. */
  caption: string;
  /** In pixels; null: as large as the text is wide, at most. */
  width: number | null;
}

export interface FoundPicture extends PictureValues {
  /** A picture inside a line of text cannot have a caption. */
  canCaption: boolean;
  position: number;
}

/** Smaller forms of a picture, and forms in other formats, as readers ask for them by `?w=` and `?format=`. */
import { AppError } from "../../system/errors.ts";
import { type Asset, ASSET_EXTENSIONS } from "./asset.ts";

/** Pixels. Few, so that a picture has a bounded number of forms. */
export const RENDITION_WIDTHS = [160, 320, 480, 640, 960, 1280, 1920, 2560] as const;
const MAX_WIDTH = 2560;
/** WebP's limit, in pixels. Codecs take many times as long for a longer picture with no more pixels. */
const MAX_SIDE = 16_383;

/** What is encoded; the others are too slow, or never made smaller. */
export type RenditionType = "image/webp" | "image/jpeg" | "image/png";

export interface Rendition {
  /** One of `RENDITION_WIDTHS`, or the picture's own width if that is smaller. */
  width: number;
  /** null: JPEG, or PNG if the picture is transparent. */
  type: RenditionType | null;
}

export interface RenditionParameters {
  w?: string | undefined;
  format?: string | undefined;
}

/** Drawings have no pixels, and a GIF moves. */
export function hasRenditions({ type, width, height }: Pick<Asset, "type" | "width" | "height">): boolean {
  return type !== "image/svg+xml" && type !== "image/gif" && Math.max(width, height) <= MAX_SIDE;
}

/** The form to answer with; null: the picture itself. @throws AppError `invalid` for a width or format not offered. */
export function chooseRendition(
  asset: Pick<Asset, "type" | "width" | "height">,
  { w, format }: RenditionParameters,
  accept: string,
): Rendition | null {
  const { type, width: own } = asset;
  const wanted = w === undefined ? MAX_WIDTH : parseWidth(w);
  if (format !== undefined && format !== "webp") {
    throw new AppError("invalid", "format must be webp. Without it, the Accept header decides.", { field: "format" });
  }
  if ((w === undefined && format === undefined) || !hasRenditions(asset)) return null;
  const width = Math.min(wanted, own);
  const target =
    format === "webp" || acceptsWebp(accept) ? "image/webp" : type === "image/avif" ? null : (type as RenditionType);
  return target === type && width === own ? null : { width, type: target };
}

/** The next allowed width. @throws AppError `invalid`. */
function parseWidth(text: string): number {
  const width = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (width > 0) return RENDITION_WIDTHS.find((one) => one >= width) ?? MAX_WIDTH;
  throw new AppError(
    "invalid",
    `w must be a number of pixels. These widths exist: ${RENDITION_WIDTHS.join(", ")}; others are rounded up.`,
    { field: "w" },
  );
}

function acceptsWebp(accept: string): boolean {
  return accept.split(",").some((part) => {
    const [name = "", ...parameters] = part.toLowerCase().split(";");
    return name.trim() === "image/webp" && !parameters.some((one) => /^\s*q=0(?:\.0*)?\s*$/.test(one));
  });
}

export function renditionName(hash: string, { width, type }: Rendition): string {
  return `${hash}-${width}.${type === null ? "any" : ASSET_EXTENSIONS[type]}`;
}

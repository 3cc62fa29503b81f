/** Pixels; the widths in which the service serves the pictures that it keeps. */
export const PICTURE_WIDTHS = [160, 320, 480, 640, 960, 1280, 1920, 2560] as const;

const MAX_WIDTH = 2560;

/** The path of a picture that the service keeps, whatever host serves it. */
const PICTURE = /\/assets\/[0-9a-f-]{36}\/[0-9a-f]{64}\/[^/?#]+$/;

/**
 * The value of `srcset` for a picture that the service keeps; undefined for a picture from elsewhere.
 *
 * @param width of the picture, pixels, if known: none is made larger than it is.
 */
export function pictureSrcset(url: string, width?: number): string | undefined {
  if (!PICTURE.test(url)) return undefined;
  const widths: number[] = PICTURE_WIDTHS.filter((one) => width === undefined || one <= width);
  if (width !== undefined && width < MAX_WIDTH && !widths.includes(width)) widths.push(width);
  return widths.map((one) => `${url}?w=${one} ${one}w`).join(", ");
}

/** Codecs in WebAssembly (decision 14), loaded at first use, each with memory of its own that is given back. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AssetType } from "../domain/articles/assets/asset.ts";
import { damaged } from "../domain/articles/assets/formats/damaged.ts";
import { isForPrinting } from "../domain/articles/assets/formats/jpeg.ts";
import { readWebpFrames } from "../domain/articles/assets/formats/webp.ts";
import type { RenditionType } from "../domain/articles/assets/rendition.ts";

export interface Pixels {
  /** RGBA. */
  data: Uint8ClampedArray<ArrayBuffer>;
  width: number;
  height: number;
}

/** What the codecs can decode. A GIF is checked and never made smaller; an SVG has no pixels. */
export type PixelType = Exclude<AssetType, "image/gif" | "image/svg+xml">;

/** The codecs make their results with this class of browsers. */
class ImageData implements Pixels {
  readonly data: Uint8ClampedArray<ArrayBuffer>;
  readonly width: number;
  readonly height: number;

  constructor(data: Uint8ClampedArray<ArrayBuffer>, width: number, height: number) {
    this.data = data;
    this.width = width;
    this.height = height;
  }
}
Object.assign(globalThis, { ImageData });

const require = createRequire(import.meta.url);
/** The JPEG codec warns of these and goes on, with grey in the place of what it could not read. */
const JPEG_DAMAGE = /^(?:Corrupt JPEG data|Premature end)/;

async function compile(file: string): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await readFile(require.resolve(file)));
}

/** Decodes all of a picture, of a moving one each frame. @throws AppError `invalid` for one that is damaged. */
export async function checkPixels(bytes: Buffer, type: PixelType): Promise<void> {
  if (type === "image/jpeg" && isForPrinting(bytes)) return;
  const frames = type === "image/webp" ? readWebpFrames(bytes) : null;
  for (const frame of frames ?? [bytes]) await decode(frame, type);
}

/** The picture as it is displayed; moving ones are not supported. @throws AppError `invalid` for a damaged one. */
export async function decode(bytes: Buffer, type: PixelType): Promise<Pixels> {
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  const warnings: string[] = [];
  const quiet = { print: () => undefined, printErr: (text: string) => void warnings.push(text) };
  const run = await DECODERS[type](quiet);
  let pixels: Pixels;
  try {
    pixels = await run(buffer);
  } catch (error) {
    throw damaged(error);
  }
  if (type === "image/jpeg" && warnings.some((text) => JPEG_DAMAGE.test(text))) throw damaged(warnings[0]);
  return pixels;
}

const DECODERS: Record<PixelType, (options: object) => Promise<(bytes: ArrayBuffer) => Promise<Pixels>>> = {
  "image/png": async () => {
    const codec = await import("@jsquash/png/decode.js");
    await codec.init(await compile("@jsquash/png/codec/pkg/squoosh_png_bg.wasm"));
    return codec.default;
  },
  "image/jpeg": async (options) => {
    const codec = await import("@jsquash/jpeg/decode.js");
    await codec.init(await compile("@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm"), options);
    return (bytes) => codec.default(bytes, { preserveOrientation: true });
  },
  "image/webp": async (options) => {
    const codec = await import("@jsquash/webp/decode.js");
    await codec.init(await compile("@jsquash/webp/codec/dec/webp_dec.wasm"), options);
    return codec.default;
  },
  "image/avif": async (options) => {
    const codec = await import("@jsquash/avif/decode.js");
    await codec.init(await compile("@jsquash/avif/codec/dec/avif_dec.wasm"), options);
    return codec.default;
  },
};

export async function resize(pixels: Pixels, { width, height }: { width: number; height: number }): Promise<Pixels> {
  const codec = await import("@jsquash/resize");
  await codec.initResize(await compile("@jsquash/resize/lib/resize/pkg/squoosh_resize_bg.wasm"));
  // A third of the time of lanczos3, and as good where a picture is made much smaller.
  const method = pixels.width > 3 * width ? "triangle" : "lanczos3";
  return codec.default(pixels, { width, height, method, premultiply: isTransparent(pixels), linearRGB: false });
}

export async function encode(pixels: Pixels, type: RenditionType): Promise<Buffer> {
  return Buffer.from(await ENCODERS[type](pixels));
}

const ENCODERS: Record<RenditionType, (pixels: Pixels) => Promise<ArrayBuffer>> = {
  "image/webp": async (pixels) => {
    const codec = await import("@jsquash/webp/encode.js");
    await codec.init(await compile("@jsquash/webp/codec/enc/webp_enc_simd.wasm"));
    return codec.default(pixels, { quality: 80, method: 3 });
  },
  "image/jpeg": async (pixels) => {
    const codec = await import("@jsquash/jpeg/encode.js");
    await codec.init(await compile("@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm"));
    return codec.default(pixels, { quality: 82, trellis_multipass: false });
  },
  "image/png": async (pixels) => {
    const codec = await import("@jsquash/png/encode.js");
    await codec.init(await compile("@jsquash/png/codec/pkg/squoosh_png_bg.wasm"));
    return codec.default(pixels);
  },
};

export function isTransparent({ data }: Pixels): boolean {
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return true;
  return false;
}

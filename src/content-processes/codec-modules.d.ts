/** The parts of the codecs that codecs.ts uses: the types they bring need those of a browser. */
interface CodecPixels {
  data: Uint8ClampedArray<ArrayBuffer>;
  width: number;
  height: number;
}

/** Node has it; the types that are loaded here do not. */
declare namespace WebAssembly {
  interface Module {
    readonly exports?: never;
  }
  function compile(bytes: Uint8Array): Promise<Module>;
}

declare module "@jsquash/png/decode.js" {
  export function init(module: WebAssembly.Module): Promise<unknown>;
  export default function decode(bytes: ArrayBuffer): Promise<CodecPixels>;
}

declare module "@jsquash/jpeg/decode.js" {
  export function init(module: WebAssembly.Module, options: object): Promise<unknown>;
  export default function decode(bytes: ArrayBuffer, options: { preserveOrientation: boolean }): Promise<CodecPixels>;
}

declare module "@jsquash/webp/decode.js" {
  export function init(module: WebAssembly.Module, options: object): Promise<unknown>;
  export default function decode(bytes: ArrayBuffer): Promise<CodecPixels>;
}

declare module "@jsquash/avif/decode.js" {
  export function init(module: WebAssembly.Module, options: object): Promise<unknown>;
  export default function decode(bytes: ArrayBuffer): Promise<CodecPixels>;
}

declare module "@jsquash/resize" {
  export function initResize(module: WebAssembly.Module): Promise<unknown>;
  export default function resize(
    pixels: CodecPixels,
    options: { width: number; height: number; method: string; premultiply: boolean; linearRGB: boolean },
  ): Promise<CodecPixels>;
}

declare module "@jsquash/png/encode.js" {
  export function init(module: WebAssembly.Module): Promise<unknown>;
  export default function encode(pixels: CodecPixels): Promise<ArrayBuffer>;
}

declare module "@jsquash/jpeg/encode.js" {
  export function init(module: WebAssembly.Module): Promise<unknown>;
  export default function encode(
    pixels: CodecPixels,
    options: { quality: number; trellis_multipass: boolean },
  ): Promise<ArrayBuffer>;
}

declare module "@jsquash/webp/encode.js" {
  export function init(module: WebAssembly.Module): Promise<unknown>;
  export default function encode(
    pixels: CodecPixels,
    options: { quality: number; method: number },
  ): Promise<ArrayBuffer>;
}

import { promisify } from "node:util";
import { gunzip } from "node:zlib";

const unpack = promisify(gunzip);

/**
 * Files as they are, for clients that take nothing compressed: unpacked once, when the first one asks, and kept. Unpacked
 * for each request, files that nobody reads would fill the memory.
 */
export class Unpacked {
  readonly #files = new WeakMap<Uint8Array, Promise<Buffer>>();

  of(gzip: Uint8Array): Promise<Buffer> {
    let file = this.#files.get(gzip);
    if (file === undefined) {
      file = unpack(gzip);
      this.#files.set(gzip, file);
      file.catch(() => this.#files.delete(gzip));
    }
    return file;
  }
}

const { promisify } = process.getBuiltinModule("node:util");

/** Serves clients that accept no compression: files are unpacked on first use, and kept. */
export class Unpacked {
  readonly #files = new WeakMap<Uint8Array, Promise<Buffer>>();

  of(gzip: Uint8Array): Promise<Buffer> {
    let file = this.#files.get(gzip);
    if (file === undefined) {
      file = promisify(process.getBuiltinModule("node:zlib").gunzip)(gzip);
      this.#files.set(gzip, file);
      file.catch(() => this.#files.delete(gzip));
    }
    return file;
  }
}

/** The parts of yauzl that are used; it comes without types. */
declare module "yauzl" {
  export interface Entry {
    fileNameRaw: Buffer;
    uncompressedSize: number;
    compressedSize: number;
    crc32: number;
    generalPurposeBitFlag: number;
    versionMadeBy: number;
    externalFileAttributes: number;
    extraFields: { id: number; data: Buffer }[];
    isEncrypted(): boolean;
    canDecodeFileData(): boolean;
  }
  export interface ZipFile {
    entryCount: number;
    eachEntry(): AsyncIterable<Entry>;
    openReadStreamPromise(entry: Entry): Promise<NodeJS.ReadableStream & AsyncIterable<Buffer>>;
    close(): void;
  }
  export function openPromise(
    path: string,
    options: { lazyEntries: true; autoClose: false; decodeStrings: false },
  ): Promise<ZipFile>;
  export function fromBufferPromise(bytes: Buffer, options: { decodeStrings: false }): Promise<ZipFile>;
  export function getFileNameLowLevel(
    flags: number,
    name: Buffer,
    extraFields: Entry["extraFields"],
    isStrict: boolean,
  ): string;
}

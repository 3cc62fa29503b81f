import { crc32, deflateRawSync } from "node:zlib";

interface ZipFileOfTest {
  name: string | Buffer;
  content: string | Uint8Array;
  /** General purpose flags; default: names are UTF-8. */
  flags?: number;
  /** 0: as it is, 8: deflated (default). */
  method?: number;
  /** Type and rights as Unix has them. */
  mode?: number;
  /** What the archive says of the size in place of the truth. */
  size?: number;
  crc?: number;
}

/** A zip archive with these files, in this order. */
export function zipOf(files: readonly ZipFileOfTest[] | Record<string, string | Uint8Array>): Buffer {
  const list: readonly ZipFileOfTest[] = Array.isArray(files)
    ? (files as readonly ZipFileOfTest[])
    : Object.entries(files as Record<string, string | Uint8Array>).map(([name, content]) => ({ name, content }));
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, flags = 0x800, method = 8, mode = 0o100644, size, crc } of list) {
    const [raw, bytes] = [Buffer.from(name as string), Buffer.from(content as string)];
    const packed = method === 8 ? deflateRawSync(bytes) : bytes;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(crc ?? crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(size ?? bytes.length, 18);
    common.writeUInt16LE(raw.length, 22);
    const local = Buffer.concat([Buffer.from("504b0304", "hex"), common, raw, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from("504b01021403", "hex"), common, rest, raw]));
    parts.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32BE(0x504b0506, 0);
  end.writeUInt16LE(list.length, 8);
  end.writeUInt16LE(list.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, central, end]);
}

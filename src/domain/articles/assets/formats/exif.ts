/** Exif: of all that cameras write there, only the orientation is kept. */

const ORIENTATION = 0x0112;
const PREFIX = Buffer.from("Exif\0\0", "latin1");

/** The orientation in Exif data, 1 to 8; 1 if there is none. */
export function readOrientation(exif: Buffer): number {
  const tiff = exif.subarray(0, PREFIX.length).equals(PREFIX) ? exif.subarray(PREFIX.length) : exif;
  const isLittle = tiff.toString("latin1", 0, 2) === "II";
  const read16 = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const read32 = (at: number) => (isLittle ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at));
  try {
    const directory = read32(4);
    const count = read16(directory);
    for (let entry = 0; entry < count; entry++) {
      const at = directory + 2 + 12 * entry;
      if (read16(at) !== ORIENTATION) continue;
      const value = read16(at + 8);
      return value >= 1 && value <= 8 ? value : 1;
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return 1;
}

/** Exif data, without its prefix, that says nothing but the orientation. */
export function writeOrientation(orientation: number): Buffer {
  return Buffer.from(
    `4d4d002a 00000008 0001 0112 0003 00000001 000${orientation} 0000 00000000`.replaceAll(" ", ""),
    "hex",
  );
}

import fc from "fast-check";

const SURROGATES = { start: 0xd800, count: 0x800 };

/** Any code point, as the unit of `fc.string`: its own `binary` first builds a map of all 1.1 million. */
export const anyCharacter = fc.integer({ min: 0, max: 0x10_ffff - SURROGATES.count }).map(
  (index) => String.fromCodePoint(index < SURROGATES.start ? index : index + SURROGATES.count),
  (character) => {
    const code = typeof character === "string" ? (character.codePointAt(0) ?? -1) : -1;
    if (code < 0 || character !== String.fromCodePoint(code)) throw new Error("not one character");
    return code < SURROGATES.start ? code : code - SURROGATES.count;
  },
);

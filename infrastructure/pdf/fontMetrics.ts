import { readFileSync } from 'node:fs';

/** Character widths of a TrueType font. */
export interface FontMetrics {
  /** Thousandths of the font size. */
  advanceOf(codePoint: number): number;
  /** All characters with a glyph. */
  readonly codePoints: readonly number[];
}

/** Reads `cmap` (format 4) and `hmtx` (OpenType 1.9) of the fonts shipped here. @throws Error for others */
export function readFontMetrics(path: string): FontMetrics {
  const font = readFileSync(path);
  const table = (tag: string): Buffer => {
    const count = font.readUInt16BE(4);
    for (let index = 0; index < count; index += 1) {
      const record = 12 + index * 16;
      if (font.toString('latin1', record, record + 4) !== tag) continue;
      const offset = font.readUInt32BE(record + 8);
      return font.subarray(offset, offset + font.readUInt32BE(record + 12));
    }
    throw new Error(`The font has no ${tag} table.`);
  };
  const unitsPerEm = table('head').readUInt16BE(18);
  const fullMetrics = table('hhea').readUInt16BE(34);
  const widths = table('hmtx');
  const glyphs = readCharacterMap(table('cmap'));
  return {
    codePoints: [...glyphs.keys()],
    advanceOf: (codePoint) => {
      const glyph = Math.min(glyphs.get(codePoint) ?? 0, fullMetrics - 1);
      return (widths.readUInt16BE(glyph * 4) * 1000) / unitsPerEm;
    },
  };
}

function readCharacterMap(cmap: Buffer): ReadonlyMap<number, number> {
  const tables = cmap.readUInt16BE(2);
  for (let index = 0; index < tables; index += 1) {
    const subtable = cmap.subarray(cmap.readUInt32BE(4 + index * 8 + 4));
    if (subtable.readUInt16BE(0) === 4) return readFormat4(subtable);
  }
  throw new Error('The font has no character map of format 4.');
}

function readFormat4(subtable: Buffer): ReadonlyMap<number, number> {
  const glyphs = new Map<number, number>();
  const doubled = subtable.readUInt16BE(6);
  for (let segment = 0; segment < doubled; segment += 2) {
    const end = subtable.readUInt16BE(14 + segment);
    const start = subtable.readUInt16BE(16 + doubled + segment);
    const delta = subtable.readUInt16BE(16 + 2 * doubled + segment);
    const place = 16 + 3 * doubled + segment;
    const rangeOffset = subtable.readUInt16BE(place);
    for (let code = start; code <= end && code !== 0xffff; code += 1) {
      const glyph =
        rangeOffset === 0 ? code : subtable.readUInt16BE(place + rangeOffset + 2 * (code - start));
      if (glyph !== 0) glyphs.set(code, (glyph + delta) & 0xffff);
    }
  }
  return glyphs;
}

// Text of files as latin1: a character is a byte. Runs in browsers, too: the verification page bundles it.

/** Kinds of additions told apart. */
export const addedKinds = [
  'pages',
  'contents',
  'annotations',
  'fields',
  'signatures',
  'material',
  'scripts',
  'layers',
  'files',
  'compressed',
  'other',
] as const;

/** Kind of an addition to a file, by what its bytes say; `other`: none of the rest. */
export type AddedKind = (typeof addedKinds)[number];

/** Ends of the revisions of a PDF, the longest first; of more than `most` the outermost ones. */
export function endsOfRevisions(text: string, most: number): readonly number[] {
  const ends = new Set<number>();
  for (const { index } of text.matchAll(/%%EOF/g)) {
    const end = index + 5;
    const line = /^(?:\r\n|\r|\n)/.exec(text.slice(end, end + 2));
    ends.add(end);
    if (line !== null) ends.add(end + 1).add(end + line[0].length);
    // Additions begin on a new line, after any end of the document.
    const added = text.slice(end, end + 1100).search(/\n\d+ \d+ obj\b/);
    if (added >= 0) ends.add(end + added).add(end + added + 1);
  }
  const sorted = [...ends].filter((end) => end < text.length).sort((a, b) => b - a);
  return sorted.length > most ? [...sorted.slice(0, most / 2), ...sorted.slice(-most / 2)] : sorted;
}

/** Names what was added behind `before`, and counts the objects replaced; names may be in any spelling. */
export function describeAddition(
  before: string,
  added: string,
): { readonly kinds: readonly AddedKind[]; readonly replaced: number } {
  const text = added.replace(/#([0-9A-Fa-f]{2})/g, (_, code: string) =>
    String.fromCharCode(parseInt(code, 16)),
  );
  const patterns: readonly (readonly [AddedKind, RegExp])[] = [
    ['pages', /\/Type\s*\/Pages?\b/],
    ['contents', /\/Contents\b|\bBT\b|\/XObject\b|\/Font\b/],
    ['annotations', /\/Type\s*\/Annot\b|\/Subtype\s*\/(?!Widget)\w+[^]{0,200}\/Rect\b/],
    ['fields', /\/FT\s*\/(?:Tx|Btn|Ch)\b|\/AcroForm\b/],
    ['signatures', /\/FT\s*\/Sig\b|\/ByteRange\b/],
    ['material', /\/DSS\b|\/DocTimeStamp\b/],
    ['scripts', /\/JavaScript\b|\/JS\b|\/OpenAction\b|\/AA\b|\/Launch\b/],
    ['layers', /\/OCG\b|\/OCProperties\b/],
    ['files', /\/EmbeddedFile/],
    ['compressed', /\/ObjStm\b/],
  ];
  const found = patterns.filter(([, pattern]) => pattern.test(text)).map(([kind]) => kind);
  const numbers = (source: string) =>
    new Set(Array.from(source.matchAll(/(?:^|[\r\n])(\d+) \d+ obj\b/g), ([, number]) => number));
  const earlier = numbers(before);
  const replaced = [...numbers(added)].filter((number) => earlier.has(number)).length;
  return { kinds: found.length > 0 ? found : ['other'], replaced };
}

import { deflateSync } from 'node:zlib';
import type { PdfDocument } from './document.ts';
import { damaged } from './faults.ts';
import { beyond, pdfLimits } from './limits.ts';
import {
  isArray,
  isReference,
  type PdfDictionary,
  type PdfObject,
  type PdfReference,
  pdfDictionary,
  pdfName,
  pdfStream,
  pdfText,
  withEntries,
} from './objects.ts';
import type { PdfUpdate } from './update.ts';

export interface EmbeddedFile {
  readonly name: string;
  readonly description: string;
  /** For example `application/json`. */
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly modified: PdfObject;
}

/** Embeds a file (ISO 32000-2 §7.11.4). @returns its file specification, for an `AF` entry */
export function addEmbeddedFile(update: PdfUpdate, file: EmbeddedFile): PdfReference {
  const stream = update.add(
    pdfStream(
      {
        Type: pdfName('EmbeddedFile'),
        Subtype: pdfName(file.contentType),
        Filter: pdfName('FlateDecode'),
        Params: pdfDictionary({ Size: file.bytes.length, ModDate: file.modified }),
      },
      deflateSync(file.bytes),
    ),
  );
  return update.add(
    pdfDictionary({
      Type: pdfName('Filespec'),
      F: pdfText(file.name),
      UF: pdfText(file.name),
      Desc: pdfText(file.description),
      AFRelationship: pdfName('Data'),
      EF: pdfDictionary({ F: stream, UF: stream }),
    }),
  );
}

/**
 * Catalog entries that attach a file to the document (§14.13): its name tree with one more name, and `AF`.
 *
 * @throws PdfFault when the name tree is malformed
 */
export function attachToCatalog(
  document: PdfDocument,
  name: string,
  specification: PdfReference,
): Readonly<Record<string, PdfObject>> {
  const { catalog, value, dictionary } = document;
  const names = dictionary(catalog.entries.get('Names')) ?? pdfDictionary({});
  const pairs = namesOf(document, dictionary(names.entries.get('EmbeddedFiles')));
  pairs.push([Buffer.from(name, 'latin1'), specification]);
  pairs.sort(([a], [b]) => Buffer.compare(a, b));
  const tree = pdfDictionary({
    Names: pairs.flatMap(([key, file]): PdfObject[] => [{ kind: 'string', bytes: key }, file]),
  });
  const associated = value(catalog.entries.get('AF'));
  return {
    Names: withEntries(names, { EmbeddedFiles: tree }),
    AF: [...(isArray(associated) ? associated : []), specification],
  };
}

type NamePair = [Buffer, PdfObject];

/** A name tree's names (§7.9.6), flat. */
function namesOf(document: PdfDocument, root: PdfDictionary | null): NamePair[] {
  const { value, dictionary } = document;
  const pairs: NamePair[] = [];
  const seen = new Set<number>();
  const waiting: PdfObject[] = root === null ? [] : [root];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (isReference(next)) {
      if (seen.has(next.number)) throw damaged('A name tree is malformed.');
      seen.add(next.number);
      if (seen.size > pdfLimits.nameTreeNodes.most) throw beyond('nameTreeNodes', seen.size);
    }
    const node = dictionary(next);
    const kids = value(node?.entries.get('Kids'));
    // In a loop: a call cannot take a million arguments.
    if (isArray(kids)) for (const kid of kids) waiting.push(kid);
    for (const pair of pairsIn(document, value(node?.entries.get('Names')))) pairs.push(pair);
  }
  return pairs;
}

function pairsIn({ value }: PdfDocument, names: PdfObject): NamePair[] {
  if (!isArray(names)) return [];
  return names.flatMap((name, index): NamePair[] => {
    if (index % 2 === 1) return [];
    const key = value(name);
    if (typeof key !== 'object' || key === null || !('bytes' in key)) {
      throw damaged('A name tree is malformed.');
    }
    return [[Buffer.from(key.bytes), names[index + 1] ?? null]];
  });
}

import { PdfFault } from './faults.ts';

interface PdfLimit {
  readonly most: number;
  /** Completes "The PDF has 1,001 …". */
  readonly counted: string;
  /** Advice to the sender of the file. */
  readonly advice: string;
}

const SAVE_ANEW = 'Save it again as one revision.';

/**
 * Bounds of what is read of a PDF. A file within them is valid whatever comes of it, so exceeding one is told as a limit
 * and never as damage. They hold for a file with our revision in it: {@link work} reads back what it prepares.
 */
export const pdfLimits = {
  sections: { most: 1000, counted: 'cross-reference sections', advice: SAVE_ANEW },
  /** Of all sections together: more than fit into the largest file accepted. */
  entries: { most: 2_000_000, counted: 'cross-reference entries', advice: SAVE_ANEW },
  /** ISO 32000-1 Annex C.2. */
  objects: { most: 8_388_607, counted: 'as its highest object number', advice: SAVE_ANEW },
  /** Mail gateways append some. */
  trailingBytes: {
    most: 1024,
    counted: 'bytes behind its end-of-file marker',
    advice: 'Remove them.',
  },
  nesting: {
    most: 64,
    counted: 'levels of arrays and dictionaries in one object',
    advice: 'Save it again with a program that nests less.',
  },
  references: {
    most: 32,
    counted: 'references that lead one to the next',
    advice: 'Save it again with a program that refers to objects directly.',
  },
  /** More is taken for an attack. */
  decodedBytes: {
    most: 64 * 1024 * 1024,
    counted: 'bytes in one compressed part',
    advice: 'Save it again without object streams.',
  },
  decodedBytesTogether: {
    most: 256 * 1024 * 1024,
    counted: 'bytes in its compressed parts together',
    advice: 'Save it again without object streams.',
  },
  fields: { most: 100_000, counted: 'form fields', advice: 'Flatten the form.' },
  nameTreeNodes: {
    most: 10_000,
    counted: 'nodes in the name tree of its attached files',
    advice: 'Save it again with fewer attachments.',
  },
  pageTreeLevels: {
    most: 64,
    counted: 'levels in its page tree',
    advice: 'Save it again with a flatter page tree.',
  },
} as const satisfies Readonly<Record<string, PdfLimit>>;

export type PdfLimitName = keyof typeof pdfLimits;

/** PDF_NOT_SUPPORTED with bound and value. @param value the count at which reading stopped */
export function beyond(name: PdfLimitName, value: number): PdfFault {
  const { most, counted, advice } = pdfLimits[name];
  return new PdfFault(
    'PDF_NOT_SUPPORTED',
    `The PDF has ${grouped(value)} ${counted} or more, but at most ${grouped(most)} are read. ${advice}`,
  );
}

function grouped(value: number): string {
  return value.toLocaleString('en-US');
}

import { type DocumentWarning, documentWarnings } from '../../domain/shared/documentWarnings.ts';
import type { PdfDocument } from './document.ts';
import { PdfFault } from './faults.ts';
import {
  isArray,
  isDictionary,
  isName,
  isStream,
  type PdfDictionary,
  type PdfObject,
} from './objects.ts';

/** Types of actions (ISO 32000-2 §12.6.4). */
const actions = new Map<string, DocumentWarning>([
  ['JavaScript', 'JAVASCRIPT'],
  ['Launch', 'LAUNCH_ACTION'],
  ['SubmitForm', 'FORM_SUBMISSION'],
  ['ImportData', 'FORM_SUBMISSION'],
  ['SetOCGState', 'HIDDEN_LAYERS'],
  ['Rendition', 'RICH_MEDIA'],
  ['RichMediaExecute', 'RICH_MEDIA'],
  ['Movie', 'RICH_MEDIA'],
  ['Sound', 'RICH_MEDIA'],
]);

/** Types of annotations (§12.5.6). */
const annotations = new Map<string, DocumentWarning>([
  ['RichMedia', 'RICH_MEDIA'],
  ['Screen', 'RICH_MEDIA'],
  ['Movie', 'RICH_MEDIA'],
  ['Sound', 'RICH_MEDIA'],
  ['3D', 'RICH_MEDIA'],
  ['FileAttachment', 'EMBEDDED_FILE'],
]);

/** Entries whose presence says enough, unless they are null. */
const keys = new Map<string, DocumentWarning>([
  ['JS', 'JAVASCRIPT'],
  ['JavaScript', 'JAVASCRIPT'],
  ['AA', 'AUTOMATIC_ACTION'],
  ['EF', 'EMBEDDED_FILE'],
  ['EmbeddedFiles', 'EMBEDDED_FILE'],
  ['XFA', 'XFA_FORM'],
]);

/**
 * Names the active content of a PDF. Inspects every object of the newest revision, reachable or not: readers differ in
 * which objects they reach.
 */
export function warningsOf(document: PdfDocument): readonly DocumentWarning[] {
  const found = new Set<DocumentWarning>();
  const value = (object: PdfObject | undefined): PdfObject => {
    try {
      return document.value(object);
    } catch (error) {
      if (!(error instanceof PdfFault)) throw error;
      found.add('UNREADABLE_PARTS');
      return null;
    }
  };

  function look(object: PdfObject): void {
    if (isArray(object)) object.forEach(look);
    else if (isStream(object)) look(object.dictionary);
    else if (isDictionary(object)) {
      for (const warning of warningsIn(object, value)) found.add(warning);
      for (const entry of object.entries.values()) look(entry);
    }
  }

  for (const object of document.objects()) {
    if (object === undefined) found.add('UNREADABLE_PARTS');
    else look(object);
  }
  return documentWarnings.filter((warning) => found.has(warning));
}

type Resolve = (object: PdfObject | undefined) => PdfObject;

/** Warnings of one dictionary; names may be indirect objects. */
function* warningsIn({ entries }: PdfDictionary, value: Resolve): Generator<DocumentWarning> {
  const named = (key: string, types: ReadonlyMap<string, DocumentWarning>) => {
    const type = entries.has(key) ? value(entries.get(key)) : null;
    return isNamed(type) ? types.get(type.name) : undefined;
  };
  for (const warning of [named('S', actions), named('Subtype', annotations)]) {
    if (warning !== undefined) yield warning;
  }
  for (const [key, entry] of entries) {
    const warning = keys.get(key);
    if (warning !== undefined && value(entry) !== null) yield warning;
  }
  if (opensWithAction(value(entries.get('OpenAction')), value)) yield 'OPEN_ACTION';
  if (hidesLayers(entries, value)) yield 'HIDDEN_LAYERS';
}

/** False for a destination: it only says which page is shown first. */
function opensWithAction(action: PdfObject, value: Resolve): boolean {
  return isDictionary(action) && !isName(value(action.entries.get('S')), 'GoTo');
}

/** Of a configuration, the usage of a layer, or a membership that shows what is off (§8.11). */
function hidesLayers(entries: PdfDictionary['entries'], value: Resolve): boolean {
  const is = (key: string, name: string) =>
    entries.has(key) && isName(value(entries.get(key)), name);
  const off = entries.has('OFF') ? value(entries.get('OFF')) : null;
  if (isArray(off) && off.length > 0) return true;
  if (is('BaseState', 'OFF')) return true;
  if (['ViewState', 'PrintState', 'ExportState'].some((key) => is(key, 'OFF'))) return true;
  const expression = entries.has('VE') ? value(entries.get('VE')) : null;
  return (
    is('P', 'AllOff') || is('P', 'AnyOff') || (isArray(expression) && negates(expression, value))
  );
}

/** Nested expressions that are objects of their own: their arrays are looked at where they are (§8.11.2.2). */
function negates([operator, ...operands]: readonly PdfObject[], value: Resolve): boolean {
  const isNegation = isName(value(operator), 'Not');
  return isNegation || operands.some((operand) => isArray(operand) && negates(operand, value));
}

function isNamed(object: PdfObject): object is Extract<PdfObject, { readonly kind: 'name' }> {
  return (
    typeof object === 'object' && object !== null && 'kind' in object && object.kind === 'name'
  );
}

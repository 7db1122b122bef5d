/** Namespaces of claims to conform to a standard (PDF/A, PDF/UA, PDF/X, PDF/VT, PDF/E, PDF declarations). */
const claims = [
  'http://www.aiim.org/pdfa/ns/id/',
  'http://www.aiim.org/pdfua/ns/id/',
  'http://www.aiim.org/pdfe/ns/id/',
  'http://www.npes.org/pdfx/ns/id/',
  'http://www.npes.org/pdfvt/ns/id/',
  'http://pdfa.org/declarations/',
] as const;

const BASIC = 'http://ns.adobe.com/xap/1.0/';
const MEDIA_MANAGEMENT = 'http://ns.adobe.com/xap/1.0/mm/';
const PDFX_1 = 'http://ns.adobe.com/pdfx/1.3/';

/**
 * XMP metadata (ISO 16684-1) of a document with one revision more: without claims of conformance, whose conditions the
 * added page and signature were not made for, with the time of the change.
 *
 * @returns UTF-8; null when it is in another encoding
 */
export function rewriteMetadata(
  metadata: Uint8Array,
  { id, time }: { readonly id: string; readonly time: Date },
): Buffer | null {
  const former = utf8(metadata);
  if (former === null) return null;
  let xml = former;
  for (const namespace of claims) xml = without(xml, namespace, NAME);
  xml = without(xml, PDFX_1, String.raw`GTS_PDFX\w+`);
  const date = time.toISOString().replace(/\.\d+Z$/, 'Z');
  for (const name of ['ModifyDate', 'MetadataDate']) xml = withValue(xml, BASIC, name, date);
  return Buffer.from(withValue(xml, MEDIA_MANAGEMENT, 'InstanceID', `uuid:${id}`), 'utf8');
}

const NAME = String.raw`[\w.-]+`;

function utf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function prefixesOf(xml: string, namespace: string): readonly string[] {
  const declarations = xml.matchAll(/xmlns:([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g);
  const found = [...declarations].filter(([, , one, other]) => (one ?? other) === namespace);
  return [...new Set(found.map(([, prefix = '']) => prefix.replaceAll('.', String.raw`\.`)))];
}

/** Drops the properties of these names, as attributes and as elements. @param name pattern */
function without(xml: string, namespace: string, name: string): string {
  return prefixesOf(xml, namespace).reduce(
    (rest, prefix) =>
      rest
        .replaceAll(new RegExp(String.raw`\s${prefix}:${name}\s*=\s*("[^"]*"|'[^']*')`, 'g'), '')
        .replaceAll(
          new RegExp(String.raw`<(${prefix}:${name})(?:\s[^>]*)?(?:/>|>[\s\S]*?</\1\s*>)`, 'g'),
          '',
        ),
    xml,
  );
}

/** Replaces the value of a property where there is one. */
function withValue(xml: string, namespace: string, name: string, value: string): string {
  return prefixesOf(xml, namespace).reduce(
    (rest, prefix) =>
      rest
        .replaceAll(
          new RegExp(String.raw`(\s${prefix}:${name}\s*=\s*)("[^"]*"|'[^']*')`, 'g'),
          (_, start: string) => `${start}"${value}"`,
        )
        .replaceAll(
          new RegExp(String.raw`(<${prefix}:${name}(?:\s[^>]*)?>)[^<]*(</)`, 'g'),
          (_, start: string, end: string) => `${start}${value}${end}`,
        ),
    xml,
  );
}

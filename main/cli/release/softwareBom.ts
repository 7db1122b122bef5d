import { createHash } from 'node:crypto';

interface Bom {
  readonly serialNumber?: string;
  readonly metadata: {
    readonly timestamp?: string;
    readonly component: { readonly name: string };
  };
}

/**
 * Fixes what npm draws or takes from the folder in its bill of materials (CycloneDX 1.5), so that one lock file gives
 * one bill: serial number, time, name of the component.
 *
 * @param text as `npm sbom` wrote it
 */
export function reproducibleBom(
  text: string,
  { name, at }: { readonly name: string; readonly at: Date },
): string {
  const bom = JSON.parse(text) as Bom;
  const timestamp = at.toISOString();
  const { metadata } = bom;
  const component = { ...metadata.component, name };
  const fixed = { ...bom, metadata: { ...metadata, timestamp, component } };
  const serialNumber = `urn:uuid:${uuidOf(JSON.stringify({ ...fixed, serialNumber: undefined }))}`;
  return `${JSON.stringify({ ...fixed, serialNumber }, null, 2)}\n`;
}

/** UUID of version 8, its bits from a digest (RFC 9562 §5.8). */
function uuidOf(content: string): string {
  const bytes = createHash('sha256').update(content).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

import { createHash } from 'node:crypto';

interface Component {
  readonly 'bom-ref': string;
  readonly properties?: readonly { readonly name: string }[];
}

interface Bom {
  readonly serialNumber?: string;
  readonly metadata: {
    readonly timestamp?: string;
    readonly component: { readonly name: string };
  };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/**
 * Fixes what npm draws or takes from the folder in its bill of materials (CycloneDX 1.5), so that one lock file gives
 * one bill: serial number, time, name of the component. Development packages are left out here, since npm's own `--omit
 * dev` also leaves out packages that both need.
 *
 * @param text as `npm sbom` wrote it
 */
export function reproducibleBom(
  text: string,
  { name, at }: { readonly name: string; readonly at: Date },
): string {
  const bom = JSON.parse(text) as Bom;
  const isLeftOut = ({ properties = [] }: Component) =>
    properties.some((each) => each.name === 'cdx:npm:package:development');
  const leftOut = new Set(bom.components.filter(isLeftOut).map((each) => each['bom-ref']));
  const isKept = (ref: string) => !leftOut.has(ref);
  const components = bom.components.filter((each) => isKept(each['bom-ref']));
  const dependencies = bom.dependencies
    .filter(({ ref }) => isKept(ref))
    .map((each) => ({ ...each, dependsOn: each.dependsOn.filter(isKept) }));
  const timestamp = at.toISOString();
  const { metadata } = bom;
  const component = { ...metadata.component, name };
  const fixed = {
    ...bom,
    metadata: { ...metadata, timestamp, component },
    components,
    dependencies,
  };
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

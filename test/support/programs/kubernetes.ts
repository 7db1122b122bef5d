import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import ts from 'typescript';
import { parseAllDocuments } from 'yaml';
import type { IPodSpec } from 'kubernetes-models/v1';
import { isInstalled } from '../../../main/cli/test.ts';
import { run } from './tools.ts';

/** A resource as Kubernetes takes it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: ManifestSpec;
}

/** Specification of a manifest, as far as rules read it, of whatever kind it is. */
interface ManifestSpec {
  readonly replicas?: number;
  readonly selector?: { readonly matchLabels?: Labels } & Labels;
  readonly template?: { readonly metadata: { readonly labels: Labels }; readonly spec: IPodSpec };
  readonly ports?: readonly { readonly name: string; readonly targetPort: string }[];
  readonly rules?: readonly {
    readonly http: {
      readonly paths: readonly {
        readonly path: string;
        readonly backend: { readonly service: { readonly name: string; readonly port: Named } };
      }[];
    };
  }[];
  readonly podSelector?: PodSelector;
  readonly policyTypes?: readonly string[];
  readonly ingress?: readonly object[];
  readonly egress?: readonly Egress[];
  readonly tls?: readonly object[];
}

export type Labels = Readonly<Record<string, string>>;

interface PodSelector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values: readonly string[];
  }[];
}

export interface Egress {
  readonly to?: readonly {
    readonly ipBlock?: { readonly cidr: string };
    readonly namespaceSelector?: object;
  }[];
  readonly ports?: readonly { readonly protocol: string; readonly port: string | number }[];
}

interface Named {
  readonly name: string;
}

/** Major version of Kustomize that the overlays are written for. */
const KUSTOMIZE = 5;

/** Reason why nothing can be rendered here; `null`: it can. */
export function cannotRender(): string | null {
  if (!isInstalled('kubectl')) return 'kubectl is missing';
  const said = execFileSync('kubectl', ['version', '--client', '--output=json'], {
    encoding: 'utf8',
  });
  const { kustomizeVersion = 'v2' } = JSON.parse(said) as { kustomizeVersion?: string };
  if (Number(/^v(\d+)/.exec(kustomizeVersion)?.[1]) >= KUSTOMIZE) return null;
  return `kubectl has Kustomize ${kustomizeVersion}, older than ${KUSTOMIZE}`;
}

/**
 * Renders an overlay.
 *
 * @throws Error with what kubectl said: a warning is a failure, too
 */
export async function render(overlay: string): Promise<readonly Manifest[]> {
  const { code, output } = await run('kubectl', 'kustomize', overlay);
  const documents = parseAllDocuments(output);
  const warned = documents.some(({ errors }) => errors.length > 0) || /^# Warning/m.test(output);
  if (code !== 0 || warned) throw new Error(`kubectl kustomize ${overlay}: ${output}`);
  return documents.map((document) => document.toJS() as Manifest);
}

export const titleOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;

/**
 * Faults by the schemas of Kubernetes: its types, by which a field that it does not have is one, and its validators,
 * which know formats and limits.
 */
export async function schemaFaults(manifests: readonly Manifest[]): Promise<readonly string[]> {
  const source = manifests
    .map(
      (manifest, index) =>
        `export const m${index}: import('kubernetes-models/${manifest.apiVersion}').I${manifest.kind} = ${JSON.stringify(manifest)};`,
    )
    .join('\n');
  const faults = typeFaults(source).map(
    ([line, message]) => `${titleOf(manifests[line] as Manifest)}: ${message}`,
  );
  for (const manifest of manifests) {
    const fault = await validatorFault(manifest);
    if (fault !== null) faults.push(`${titleOf(manifest)}: ${fault}`);
  }
  return faults;
}

/** Faults of the types in a file that is nowhere. @returns lines, from 0, with the message */
function typeFaults(source: string): (readonly [line: number, message: string])[] {
  const path = join(process.cwd(), 'rendered.ts');
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    lib: ['lib.es2022.d.ts'],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ES2022,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === path || fileExists(name);
  host.getSourceFile = (name, version, ...rest) =>
    name === path
      ? ts.createSourceFile(name, source, version)
      : getSourceFile(name, version, ...rest);
  const program = ts.createProgram([path], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start ?? 0).line;
    return [line, ts.flattenDiagnosticMessageText(messageText, ' ')] as const;
  });
}

interface Validated {
  validate(): void;
}

async function validatorFault(manifest: Manifest): Promise<string | null> {
  try {
    const models = (await import(`kubernetes-models/${manifest.apiVersion}`)) as Readonly<
      Record<string, new (data: Manifest) => Validated>
    >;
    const Model = models[manifest.kind];
    if (Model === undefined) return 'there is no such kind';
    new Model(manifest).validate();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

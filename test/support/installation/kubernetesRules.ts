import type { IContainer, IPodSpec, IProbe } from 'kubernetes-models/v1';
import type { Role } from '../../../infrastructure/config/configSettings.ts';
import {
  ConfigurationError,
  knownNames,
  readConfig,
} from '../../../infrastructure/config/config.ts';
import { type Egress, type Labels, type Manifest, titleOf } from '../programs/kubernetes.ts';

/** A set of pods that is made from one template. */
export interface Workload {
  readonly title: string;
  readonly kind: string;
  readonly labels: Labels;
  readonly pod: IPodSpec;
  readonly container: IContainer;
  /** Of our program. */
  readonly isOurs: boolean;
  /** Environment of the container, maps included. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Path at which our pods see the secrets. */
const SECRETS = '/run/secrets/tamga';
/** In the name of our image. */
const IMAGE = '/tamga:';
/** s; the longest wait of a poll, as the API documents it. */
const POLL_S = 120;
/** Ports of OpenTelemetry over HTTP and of ClamAV. */
const OTLP = 4318;
const CLAMD = 3310;
/** Bits of the network that proxies alone are in: some hundred addresses at most. */
const NARROW = 24;
const roles = Object.keys({
  api: true,
  projector: true,
  worker: true,
  console: true,
} satisfies Record<Role, true>);

export function workloadsOf(manifests: readonly Manifest[]): readonly Workload[] {
  const maps = new Map(
    manifests
      .filter(({ kind }) => kind === 'ConfigMap')
      .map(({ metadata, data }) => [metadata.name, data ?? {}] as const),
  );
  return manifests.flatMap((manifest) => {
    const template = manifest.spec?.template;
    const [container] = template?.spec.containers ?? [];
    if (template === undefined || container === undefined) return [];
    const mapped = (container.envFrom ?? []).map(
      ({ configMapRef }) => maps.get(configMapRef?.name ?? '') ?? {},
    );
    const own = (container.env ?? []).map(({ name, value }) => [name, value ?? ''] as const);
    return {
      title: titleOf(manifest),
      kind: manifest.kind,
      labels: template.metadata.labels,
      pod: template.spec,
      container,
      isOurs: container.image?.includes(IMAGE) === true,
      settings: Object.assign({}, ...mapped, Object.fromEntries(own)) as Record<string, string>,
    };
  });
}

const fault = (isWrong: boolean, text: string) => (isWrong ? [text] : []);

const matches = (selector: Labels | undefined, labels: Labels) =>
  selector !== undefined &&
  Object.entries(selector).every(([name, value]) => labels[name] === value);

/** Faults of one rendered overlay by the rules of docs/setup.md; empty: none. */
export function manifestFaults(manifests: readonly Manifest[], secrets: string): readonly string[] {
  const workloads = workloadsOf(manifests);
  const ours = workloads.filter(({ isOurs }) => isOurs);
  return [
    ...roleFaults(ours),
    ...ours.flatMap((workload) => settingsFaults(workload, secrets)),
    ...ours.flatMap(secretFaults),
    ...ours.flatMap(hardeningFaults),
    ...workloads.flatMap(podFaults),
    ...workloads.flatMap(eventStoreFaults),
    ...ours.filter(staysUp).flatMap(processFaults),
    ...ours.filter(staysUp).flatMap(believedFaults),
    ...workloads.filter(staysUp).flatMap((workload) => budgetFaults(workload, manifests)),
    ...referenceFaults(manifests, workloads),
    ...manifests.filter(({ kind }) => kind === 'Ingress').flatMap(ingressFaults),
    ...networkFaults(manifests),
    ...ours.filter(staysUp).flatMap((workload) => reachFaults(workload, manifests)),
  ];
}

const staysUp = ({ kind }: Workload) => kind !== 'Job';

function roleFaults(ours: readonly Workload[]): readonly string[] {
  const run = ours.filter(staysUp).map(({ settings }) => settings['SVC_ROLES']);
  const images = new Set(ours.map(({ container }) => container.image));
  return [
    ...roles.flatMap((role) =>
      fault(run.filter((each) => each === role).length !== 1, `${role}: not one deployment`),
    ),
    ...fault(
      !ours.some(({ kind, container }) => kind === 'Job' && container.args?.[0] === 'migrate'),
      'no job migrates',
    ),
    ...fault(images.size !== 1, `several images: ${[...images].join(', ')}`),
  ];
}

/** Faults that a process with these settings would name at its start. */
function settingsFaults({ title, settings }: Workload, secrets: string): readonly string[] {
  const environment = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, value.replace(SECRETS, secrets)]),
  );
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.map((each) => `${title}: ${each}`);
  }
}

function secretFaults({ title, settings, container, pod }: Workload): readonly string[] {
  const mounted = container.volumeMounts?.find(({ mountPath }) => mountPath === SECRETS);
  const volume = pod.volumes?.find(({ name }) => name === mounted?.name);
  return Object.keys(settings).flatMap((name) => [
    ...fault(knownNames().includes(`${name}_FILE`), `${title}: ${name} is a secret in clear`),
    ...fault(
      name.endsWith('_FILE') && volume?.secret === undefined,
      `${title}: ${name} is not mounted`,
    ),
  ]);
}

function podFaults({ title, pod, container }: Workload): readonly string[] {
  const { securityContext: context = {} } = pod;
  const { securityContext: own = {}, resources = {} } = container;
  return [
    ...fault(context.runAsNonRoot !== true || !context.runAsUser, `${title}: may run as root`),
    ...fault(
      context.seccompProfile?.type !== 'RuntimeDefault',
      `${title}: may call the system as it likes`,
    ),
    ...fault(own.allowPrivilegeEscalation !== false, `${title}: may gain rights`),
    ...fault(own.capabilities?.drop?.[0] !== 'ALL', `${title}: has capabilities`),
    ...fault(pod.automountServiceAccountToken !== false, `${title}: has a token of the cluster`),
    ...fault(
      resources.requests?.['memory'] === undefined || resources.limits?.['memory'] === undefined,
      `${title}: has no bound of memory`,
    ),
  ];
}

function hardeningFaults({ title, pod, container }: Workload): readonly string[] {
  const root = container.securityContext?.readOnlyRootFilesystem;
  return [
    ...fault(root !== true, `${title}: may write into its image`),
    ...fault(pod.shareProcessNamespace !== true, `${title}: is process 1, which nothing kills`),
  ];
}

/** Users of EventStoreDB whose password is the one its vendor gave them. */
function eventStoreFaults({ title, container }: Workload): readonly string[] {
  if (container.image?.startsWith('eventstore/') !== true) return [];
  const keys = ['ADMIN', 'OPS'].map(
    (user) =>
      container.env?.find(({ name }) => name === `EVENTSTORE_DEFAULT_${user}_PASSWORD`)?.valueFrom
        ?.secretKeyRef?.key,
  );
  return fault(
    keys.includes(undefined) || new Set(keys).size < keys.length,
    `${title}: admin and ops have no passwords of their own`,
  );
}

function processFaults({ title, pod, container, settings }: Workload): readonly string[] {
  const port = (name: unknown) => container.ports?.find((each) => each.name === name);
  const isAsked = (probe: IProbe | undefined, path: string) =>
    probe?.httpGet?.path === path &&
    String(port(probe.httpGet.port)?.containerPort) === settings['SVC_MANAGEMENT_PORT'];
  const [pause, seconds] = container.lifecycle?.preStop?.exec?.command ?? [];
  const leaving = pause === 'sleep' ? Number(seconds) : 0;
  return [
    ...fault(!isAsked(container.livenessProbe, '/livez'), `${title}: is not asked /livez`),
    ...fault(
      !isAsked(container.startupProbe, '/readyz'),
      `${title}: takes a place before it can serve`,
    ),
    ...fault(
      !isAsked(container.readinessProbe, '/livez'),
      `${title}: leaves with all others when a dependency is away`,
    ),
    ...fault(leaving < 5, `${title}: ends before its address has left`),
    ...fault(
      (pod.terminationGracePeriodSeconds ?? 30) <= POLL_S + leaving,
      `${title}: is killed before the longest poll ends`,
    ),
    ...fault(
      settings['SVC_ROLES'] === 'api' && String(port('http')?.containerPort) !== '8080',
      `${title}: does not listen at 8080`,
    ),
  ];
}

/** Networks of proxies that others than proxies are in, too. */
function believedFaults({ title, settings }: Workload): readonly string[] {
  const networks = (settings['SVC_TRUSTED_PROXIES'] ?? '').split(',');
  return networks.flatMap((network) =>
    fault(
      Number(network.split('/')[1] ?? 0) < NARROW,
      `${title}: believes ${network}, more than the proxies`,
    ),
  );
}

/** Words of callers about their address that are passed on; HSTS that TLS lacks (RFC 6797) or a plain ingress has. */
function ingressFaults(ingress: Manifest): readonly string[] {
  const annotations = ingress.metadata.annotations ?? {};
  const lines = (name: string) => annotations[`haproxy.org/${name}`]?.split('\n') ?? [];
  const replaces = lines('request-set-header').includes('X-Forwarded-For %[src]');
  const staysWithTls = lines('response-set-header').includes(
    'Strict-Transport-Security max-age=31536000',
  );
  const hasTls = ingress.spec?.tls !== undefined;
  return [
    ...fault(!replaces, `${titleOf(ingress)}: passes on what callers say of their address`),
    ...fault(hasTls !== staysWithTls, `${titleOf(ingress)}: HSTS is for TLS, and for all of it`),
  ];
}

function budgetFaults({ title, labels }: Workload, manifests: readonly Manifest[]) {
  const budgets = manifests.filter(
    ({ kind, spec }) =>
      kind === 'PodDisruptionBudget' && matches(spec?.selector?.matchLabels, labels),
  );
  return fault(budgets.length !== 1, `${title}: has ${budgets.length} disruption budgets`);
}

/** Names of things that are not there, and services that reach nobody. */
function referenceFaults(
  manifests: readonly Manifest[],
  workloads: readonly Workload[],
): readonly string[] {
  const has = (kind: string, name: string | undefined) =>
    manifests.some((each) => each.kind === kind && each.metadata.name === name);
  const claims = workloads.flatMap(({ title, pod }) =>
    (pod.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) =>
      fault(
        claim !== undefined && !has('PersistentVolumeClaim', claim.claimName),
        `${title}: no claim ${claim?.claimName ?? ''}`,
      ),
    ),
  );
  const maps = workloads.flatMap(({ title, container }) =>
    (container.envFrom ?? []).flatMap(({ configMapRef: map }) =>
      fault(!has('ConfigMap', map?.name), `${title}: no map ${map?.name ?? ''}`),
    ),
  );
  const services = manifests
    .filter(({ kind }) => kind === 'Service')
    .flatMap((service) =>
      (service.spec?.ports ?? []).flatMap(({ targetPort }) =>
        fault(
          !workloads.some(
            ({ labels, container }) =>
              matches(service.spec?.selector, labels) &&
              container.ports?.some(({ name }) => name === targetPort),
          ),
          `${titleOf(service)}: reaches nobody at ${targetPort}`,
        ),
      ),
    );
  const ingresses = manifests.flatMap((ingress) =>
    (ingress.spec?.rules ?? []).flatMap(({ http }) =>
      http.paths.flatMap(({ backend: { service } }) =>
        fault(!has('Service', service.name), `${titleOf(ingress)}: no service ${service.name}`),
      ),
    ),
  );
  return [...claims, ...maps, ...services, ...ingresses];
}

function networkFaults(manifests: readonly Manifest[]): readonly string[] {
  const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy');
  const denies = policies.some(
    ({ spec = {} }) =>
      Object.keys(spec.podSelector ?? { none: true }).length === 0 &&
      spec.policyTypes?.length === 2 &&
      spec.ingress === undefined &&
      spec.egress === undefined,
  );
  const open = policies.filter(({ spec }) =>
    [...(spec?.ingress ?? []), ...(spec?.egress ?? [])].some(
      (rule) => !('ports' in rule) || !('from' in rule || 'to' in rule),
    ),
  );
  return [
    ...fault(!denies, 'no policy denies what none allows'),
    ...open.map((policy) => `${titleOf(policy)}: allows everybody or everything`),
  ];
}

/** Reads from the policies whether a pod may send to a port, where `isThere` holds for the peer. */
function reaches(
  { labels }: Workload,
  manifests: readonly Manifest[],
  port: number,
  isThere: (peer: NonNullable<Egress['to']>[number]) => boolean,
): boolean {
  const selecting = manifests.filter(({ kind, spec }) => {
    if (kind !== 'NetworkPolicy') return false;
    const { matchLabels = {}, matchExpressions = [] } = spec?.podSelector ?? {};
    const isIn = matchExpressions.every(
      ({ key, operator, values }) => operator === 'In' && values.includes(labels[key] ?? ''),
    );
    return isIn && matches(matchLabels, labels);
  });
  return selecting
    .flatMap(({ spec }) => spec?.egress ?? [])
    .some(({ to, ports }) => to?.some(isThere) && ports?.some((each) => each.port === port));
}

/** Systems outside that the settings of a process name, or the page, and no policy lets it call. */
function reachFaults(workload: Workload, manifests: readonly Manifest[]): readonly string[] {
  const { title, settings } = workload;
  const hasBuckets = Object.keys(settings).some((name) => name.endsWith('_S3_URL'));
  const canCall = (port: number, isThere: (cidr: string) => boolean) =>
    reaches(workload, manifests, port, ({ ipBlock }) => isThere(ipBlock?.cidr ?? ''));
  const collects = reaches(workload, manifests, OTLP, (peer) => 'namespaceSelector' in peer);
  const isOwn = (cidr: string) => /^10\./.test(cidr);
  return [
    ...fault(!collects, `${title}: reaches no collector`),
    ...fault(
      hasBuckets && !canCall(443, (cidr) => cidr === '0.0.0.0/0'),
      `${title}: reaches no bucket outside`,
    ),
    ...fault(hasBuckets && !canCall(443, isOwn), `${title}: reaches no bucket of one's own`),
    ...fault(
      settings['SVC_ROLES'] === 'api' && !canCall(CLAMD, isOwn),
      `${title}: reaches no scanner of files`,
    ),
  ];
}

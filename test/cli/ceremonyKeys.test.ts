import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, verify, X509Certificate } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeRoot } from '../../main/cli/ceremony/root.ts';
import { reshare } from '../../main/cli/ceremony/reshare.ts';
import { sign } from '../../main/cli/ceremony/sign.ts';
import { revocationListsIn } from '../../infrastructure/pki/revocationListReader.ts';
import { rejection } from '../support/assertions/rejection.ts';
import {
  createTemporaryToken,
  softHsmModule,
  type TemporaryToken,
} from '../support/programs/softhsm.ts';
import { tamgaProgram } from '../support/programs/tamgaProgram.ts';

const hasNetwork = Object.values(networkInterfaces()).some(
  (addresses) => addresses?.some(({ internal }) => !internal) === true,
);
const opening = [
  ...(hasNetwork ? ['Confirm that the network is accepted: yes'] : []),
  ...['Place: here', 'Present: Anar', 'Present:'],
];

describe('Root keys of a ceremony', function () {
  this.timeout(60_000);
  let directory: string;
  const path = (...names: readonly string[]) => join(directory, ...names);

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-ceremony-keys-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  async function answersOf(lines: readonly string[]): Promise<string> {
    await writeFile(path('answers'), [...opening, ...lines].join('\n'));
    return path('answers');
  }

  /** Makes a root in the directory `name`. @returns its certificate */
  async function made(name: string, key: readonly string[]): Promise<X509Certificate> {
    await mkdir(path(`shares-${name}`));
    const answers = await answersOf([
      ...['Operator name: Ministry', 'Operator number: NTRMN-5512345'],
      ...['Policy arc: 1.3.6.1.4.1.99999.1', 'Address of the PKI: http://pki.example.mn'],
      ...['Confirm the operator: yes', ...key],
      ...['Custodian: Bolor', 'Custodian: Dorj', 'Custodian:', 'Shares that open the key: 2'],
      ...['Confirm the custodians: yes', 'Confirm the root certificate: yes'],
      ...['Bolor', 'Dorj'].flatMap((custodian) => [
        `Share file of ${custodian}: ${path(`shares-${name}`, custodian)}`,
        `Confirm that ${custodian} has the share: yes`,
      ]),
      'Confirm that the root is to be kept: yes',
    ]);
    await makeRoot({ dir: path(name), answers });
    return new X509Certificate(await readFile(path(name, 'root.pem')));
  }

  /** Lets the custodians open the root and make its next list. */
  async function nextList(
    name: string,
    {
      to = `${name}-out`,
      revoke = [],
      shares = ['Bolor', 'Dorj'].map((custodian) => path(`shares-${name}`, custodian)),
    }: { to?: string; revoke?: readonly string[]; shares?: readonly string[] } = {},
  ): Promise<ReadonlySet<string>> {
    const serials = await Promise.all(
      revoke.map(async (file) => new X509Certificate(await readFile(file)).serialNumber),
    );
    const answers = await answersOf([
      ...serials.map((serial) => `Confirm the revocation of ${serial.toLowerCase()}: yes`),
      ...shares.map((file) => `Share file (empty: no more): ${file}`),
      'Confirm that this is handed out: yes',
    ]);
    await sign([], { dir: path(name), to: path(to), answers, revoke, reason: 4, days: 30 });
    const [list] = revocationListsIn(await readFile(path(to, 'root.crl')));
    return new Set(list?.revoked.keys());
  }

  /** Gives the root to Enkh, Farid and Gerel, of whom two open it. @returns the files of their shares */
  async function reshared(
    name: string,
    { pin = [], last = 'yes' }: { pin?: readonly string[]; last?: string } = {},
  ): Promise<readonly string[]> {
    await mkdir(path(`new-${name}`), { recursive: true });
    const custodians = ['Enkh', 'Farid', 'Gerel'];
    const answers = await answersOf([
      ...['Bolor', 'Dorj'].map(
        (custodian) => `Share file (empty: no more): ${path(`shares-${name}`, custodian)}`,
      ),
      ...custodians.map((custodian) => `Custodian: ${custodian}`),
      ...['Custodian:', 'Shares that open the key: 2', 'Confirm the custodians: yes', ...pin],
      ...custodians.flatMap((custodian) => [
        `Share file of ${custodian}: ${path(`new-${name}`, custodian)}`,
        `Confirm that ${custodian} has the share: yes`,
      ]),
      `Confirm that the new custodians are kept: ${last}`,
    ]);
    await reshare({ dir: path(name), answers });
    return custodians.map((custodian) => path(`new-${name}`, custodian));
  }

  const generated = ['Root key (generate, import or token): generate'];

  it('spend no number when the directory for the online side holds something', async () => {
    await made('root', generated);
    const kept = () => readFile(path('root', 'root.crl'), 'base64');
    const before = await kept();
    await mkdir(path('used'));
    await writeFile(path('used', 'root.pem'), 'of another day');
    const refused = await rejection(nextList('root', { to: 'used' }));
    expect(await kept()).to.equal(before);
    expect((refused as Error).message).to.include('used is not empty');
    await nextList('root');
    expect(await kept()).to.not.equal(before);
  });

  it('make a list after the last one that they signed alone, with all its entries', async () => {
    await made('root', generated);
    const root = path('root', 'root.pem');
    const revoked = await nextList('root', { revoke: [root] });
    expect(revoked).to.have.length(1);
    const state = path('root', 'root.json');
    const text = await readFile(state, 'utf8');
    await writeFile(state, text.replace(/"revoked": \[[^\]]*\]/, '"revoked": []'));
    expect(await nextList('root', { to: 'again' })).to.deep.equal(revoked);

    await made('other', generated);
    await copyFile(path('other', 'root.crl'), path('root', 'root.crl'));
    const refused = await rejection(nextList('root', { to: 'third' }));
    expect((refused as Error).message).to.include('is not the last list of this root');
    await rm(path('root', 'root.crl'));
    expect(await rejection(nextList('root', { to: 'third' }))).to.be.instanceOf(Error);
  });

  it('are given to other custodians, whose shares alone open them from then on', async () => {
    const certificate = await made('root', generated);
    const copy = await readFile(path('root', 'root.json'));
    const [enkh = '', , gerel = ''] = await reshared('root');
    await nextList('root', { to: 'by new ones', shares: [gerel, enkh] });
    const refused = await rejection(nextList('root', { to: 'by former ones' }));
    expect((refused as Error).message).to.include('contains a wrong share (it says Bolor)');
    const mixed = [enkh, path('shares-root', 'Bolor')];
    expect(await rejection(nextList('root', { to: 'mixed', shares: mixed }))).to.be.instanceOf(
      Error,
    );
    expect(
      new X509Certificate(await readFile(path('root', 'root.pem'))).raw.equals(certificate.raw),
    ).to.equal(true);
    const names = await readdir(path('root'));
    const [record = ''] = names
      .filter((name) => name.endsWith('.txt'))
      .sort()
      .slice(1);
    const text = await readFile(path('root', record));
    const signature = await readFile(path('root', `${record}.sig`));
    expect(text.toString()).to.include('the custodians of the Root CA were changed');
    expect(verify('sha384', text, certificate.publicKey, signature)).to.equal(true);

    // Limit by docs/ceremony.md, which no command can take back.
    await writeFile(path('root', 'root.json'), copy);
    await nextList('root', { to: 'by an older copy' });
  });

  it('stay with their custodians when a change of them is not confirmed', async () => {
    await made('root', generated);
    expect(await rejection(reshared('root', { last: 'no' }))).to.be.instanceOf(Error);
    await nextList('root');
    const shares = ['Enkh', 'Farid'].map((name) => path('new-root', name));
    expect(await rejection(nextList('root', { to: 'again', shares }))).to.be.instanceOf(Error);
  });

  it('are imported, with their certificate or a new one, from files with a passphrase or none', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const pem = privateKey.export({
      format: 'pem',
      type: 'pkcs8',
      cipher: 'aes-256-cbc',
      passphrase: 'of the file',
    });
    await writeFile(path('key.pem'), pem);
    await writeFile(path('passphrase'), 'of the file\n');
    const imported = (certificate: string, list = '') => [
      ...['Root key (generate, import or token): import', `Key file (PEM): ${path('key.pem')}`],
      `File with its passphrase (empty: none): ${path('passphrase')}`,
      `Certificate file (empty: make one): ${certificate}`,
      `Its last revocation list (empty: it made none): ${list}`,
    ];
    const first = await made('first', imported(''));
    expect(first.publicKey.equals(publicKey)).to.equal(true);
    // A root may revoke itself, which stands here for what it certified.
    const revoked = await nextList('first', { revoke: [path('first', 'root.pem')] });
    expect([...revoked]).to.deep.equal([first.serialNumber.toLowerCase()]);
    const second = await made(
      'second',
      imported(path('first', 'root.pem'), path('first', 'root.crl')),
    );
    expect(second.raw.equals(first.raw)).to.equal(true);
    expect(await nextList('second')).to.deep.equal(revoked);
    const state = await readFile(path('second', 'root.json'), 'utf8');
    const secret = privateKey.export({ format: 'jwk' }).d ?? '';
    expect(state).to.not.include(secret);
    expect(state).to.not.include(Buffer.from(secret, 'base64url').toString('base64'));
  });

  it('are not made when the terminal closes before the last answer', () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [tamgaProgram(), 'ceremony', 'root', '--dir', path('root')],
      { input: hasNetwork ? 'yes\nhere\n' : 'here\n', encoding: 'utf8' },
    );
    expect(status).to.equal(1);
    expect(stderr).to.include('The terminal was closed.');
  });

  it('are not imported from another curve', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    await writeFile(path('key.pem'), privateKey.export({ format: 'pem', type: 'pkcs8' }));
    const refused = await rejection(
      made('other', [
        ...['Root key (generate, import or token): import', `Key file (PEM): ${path('key.pem')}`],
        'File with its passphrase (empty: none):',
      ]),
    );
    expect((refused as Error).message).to.include('P-384');
  });

  describe('in a token', () => {
    let token: TemporaryToken | undefined;

    before(async function () {
      if (softHsmModule === null) {
        console.log('skipped: SoftHSM2 is not installed (Debian package softhsm2)');
        this.skip();
      }
      token = await createTemporaryToken(softHsmModule);
    });
    after(() => token?.remove());

    it('stay there, and its PIN opens with the shares', async () => {
      if (token === undefined) throw new Error('There is no token.');
      await writeFile(path('pin'), `${token.pin}\n`);
      const certificate = await made('token', [
        ...['Root key (generate, import or token): token', `PKCS#11 module: ${token.modulePath}`],
        ...[`Token: ${token.tokenLabel}`, `File with the PIN: ${path('pin')}`],
      ]);
      expect(certificate.verify(certificate.publicKey)).to.equal(true);
      expect(await readFile(path('token', 'root.json'), 'utf8')).to.not.include(token.pin);
      await rm(path('pin'));
      await nextList('token');

      const [enkh = '', farid = ''] = await reshared('token', {
        pin: ["File with the token's new PIN (empty: it stays):"],
      });
      await nextList('token', { to: 'by new ones', shares: [enkh, farid] });
    });
  });
});

import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { subjectText } from '../../infrastructure/pki/parsedCertificate.ts';
import { revocationListsIn } from '../../infrastructure/pki/revocationListReader.ts';
import {
  block,
  type CeremonyPage,
  openCeremonyPage,
} from '../support/installation/ceremonyPage.ts';
import { createServiceProcess } from '../support/installation/serviceProcess.ts';

describe('The page of the key ceremony', function () {
  this.timeout(300_000);
  let page: CeremonyPage;
  before(async () => {
    // The profile of the page cannot be served on a test server, which may lose what it acknowledged.
    page = await openCeremonyPage('staging');
  });
  after(() => page.remove());

  const path = (name: string) => page.path(name);
  const runCommands = (...command: Parameters<CeremonyPage['runCommands']>) =>
    page.runCommands(...command);
  const succeed = (...command: Parameters<CeremonyPage['succeed']>) => page.succeed(...command);
  const answer = (...answers: Parameters<CeremonyPage['answer']>) => page.answer(...answers);
  const certificate = async (name: string) => new X509Certificate(await readFile(path(name)));

  it('makes nothing that was not confirmed', async () => {
    await answer('root.answers', (text) =>
      text.replace('Confirm the root certificate: yes', 'Confirm the root certificate: no'),
    );
    const { code, output } = await runCommands(block('root'));
    expect(code).to.equal(1);
    expect(output).to.include('Not confirmed: the root certificate.');
    expect(await readdir(path('root'))).to.deep.equal([]);
  });

  it('refuses answers to other questions', async () => {
    await answer('root.answers', (text) => text.replace('Policy arc:', 'Address of the PKI:'));
    const { code, output } = await runCommands(block('root'));
    expect(code).to.equal(1);
    expect(output).to.match(/root\.answers, line \d+: "Policy arc" is asked/);
  });

  it('makes a root whose record its key signed, all files for their owner alone', async () => {
    await answer('root.answers');
    const output = await succeed(block('root'));
    expect(output).to.include('SHA-256 of root.pem');
    expect(subjectText((await certificate('root/tamga/root.pem')).raw)).to.equal(
      'CN=Tamga Root CA,organizationIdentifier=NTRMN-5512345,O=Ministry of Examples,C=MN',
    );
    for (const name of await readdir(path('root/tamga'))) {
      expect((await stat(path(`root/tamga/${name}`))).mode & 0o777, name).to.equal(0o600);
    }
    expect((await stat(path('dorj/share.txt'))).mode & 0o777).to.equal(0o600);
    expect(await succeed(block('record'))).to.match(/Verified OK\nroot\.(crl|pem): OK/);
    const record = readFileSync(
      execFileSync('sh', ['-c', `ls ${path('root/tamga')}/record-*.txt`], {
        encoding: 'utf8',
      }).trim(),
      'utf8',
    );
    for (const told of [
      'Bolor, witness',
      'Ulaanbaatar',
      'Node.js',
      'Confirm the custodians: yes',
    ]) {
      expect(record).to.include(told);
    }
  });

  it('does not make a root where there is one', async () => {
    const { code, output } = await runCommands(block('root'));
    expect(code).to.equal(1);
    expect(output).to.include('already contains a root');
  });

  it('signs what the online side asks for, which then serves without the root', async () => {
    await succeed('./tamga migrate');
    const asked = await succeed(block('request'));
    await answer('sign.answers');
    await succeed(block('sign'));
    const record = await succeed('cat /media/transfer/signed/record-*.txt');
    const keys = [...asked.matchAll(/key, SHA-256 ([0-9a-f]{64})/g)].map(([, hash]) => hash);
    expect(keys).to.have.length(3);
    for (const key of keys) expect(record).to.include(`Key, SHA-256 ${key}`);

    expect(await succeed(block('record'))).to.match(/(Verified OK\n){2}root\.(crl|pem): OK/);
    await answer('sign.answers', (text) => text.replace(/^Confirm the request[\s\S]*/m, ''));
    const elsewhere = await runCommands(
      `sed -i s/eid.example.mn/other.example.mn/ /media/transfer/requests/personal.csr\n` +
        block('sign').replace('/signed', '/elsewhere'),
    );
    expect(elsewhere.code).to.equal(1);
    expect(elsewhere.output).to.include('SVC_PKI_BASE is http://other.example.mn where');

    const root = await certificate('root/tamga/root.pem');
    const wrong = await runCommands(block('install'), { ROOT_SHA256: 'f'.repeat(64) });
    expect(wrong.code).to.equal(1);
    expect(wrong.output).to.include('not the root that --root-sha256 names');
    const ROOT_SHA256 = root.fingerprint256.replaceAll(':', '').toLowerCase();
    await succeed(block('install').replace('./tamga check-config', ''), { ROOT_SHA256 });

    const service = await createServiceProcess({ ...page.settings, SVC_KYC_CITIZEN_CARD: 'true' });
    try {
      await service.start();
      const served = async (name: string) =>
        Buffer.from(await (await fetch(`${service.origin}/${name}`)).arrayBuffer());
      expect((await served('ca/root.cer')).equals(root.raw)).to.equal(true);
      const list = await served('crl/root');
      expect(list.equals(await readFile(path('transfer/signed/root.crl')))).to.equal(true);
      expect((await certificate('transfer/signed/personal.pem')).verify(root.publicKey)).to.equal(
        true,
      );
      const treeKeys = (await served('audit/keys.pem')).toString();
      expect(treeKeys).to.include((await certificate('transfer/signed/audit-tree.pem')).toString());

      await answer('list.answers', (text) =>
        text
          .replace('Share file', 'Confirm the revocation of SERIAL: yes\nShare file')
          .replace(
            'SERIAL',
            new X509Certificate(
              readFileSync(path('transfer/signed/organization.pem')),
            ).serialNumber.toLowerCase(),
          ),
      );
      await succeed(
        block('list').replace(
          '--answers',
          '--reason 4 --revoke /media/transfer/signed/organization.pem --answers',
        ),
      );
      await succeed(block('install-list'));
      const next = await served('crl/root');
      const [newer] = revocationListsIn(next);
      const [older] = revocationListsIn(list);
      expect([...(newer?.revoked.values() ?? [])].map(({ reason }) => reason)).to.deep.equal([4]);
      expect(newer?.number ?? 0n).to.be.greaterThan(Number(older?.number));

      const [unit = ''] = (await services()).filter((line) => line.endsWith('TSA'));
      const [serial = ''] = unit.split(' ');
      const ocsp = () =>
        succeed(
          `openssl ocsp -issuer transfer/signed/organization.pem -serial 0x${serial} -noverify -url ${service.origin}/ocsp`,
        );
      expect(await ocsp())
        .to.include(`0x${serial}: revoked`)
        .and.include('Reason: superseded');
      const seen = await runCommands('./tamga doctor --ntp 127.0.0.1:9 || true');
      expect(seen.output)
        .to.include('certificate of the organization CA')
        .and.include('was revoked by the root at');
      // Nobody replaces what the revoked authority issued: it issues no more.
      await succeed(`./tamga certificate revoke ${serial} --reason 1`);
      await service.stop();
      await service.start();
      expect(await ocsp()).to.include(`0x${serial}: revoked`);
      const units = (await services()).filter((line) => line.endsWith('TSA'));
      const others = units.filter((line) => !line.includes(serial));
      expect(others.filter((line) => !line.includes('REQUESTED'))).to.deep.equal([]);
    } finally {
      await service.stop();
    }
  });

  /** Certificates of the services, a line each. */
  const services = async () =>
    (await succeed('./tamga certificate list --services')).trim().split('\n');

  describe('opens the root for nobody else:', () => {
    const signAgain = () =>
      runCommands('rm -rf /media/transfer/again\n' + block('list').replace('/list', '/again'));

    it('too few shares', async () => {
      await answer('list.answers', (text) =>
        text.replace(/(Share file.*): .*enkh.*/, '$1:').replace(/\nConfirm that this.*/, ''),
      );
      const { code, output } = await signAgain();
      expect(code).to.equal(1);
      expect(output).to.include('1 of the 3 shares was given, 2 are needed: the key stays closed.');
    });

    it('one share twice', async () => {
      await answer('list.answers', (text) =>
        text
          .replaceAll('/enkh/', '/dorj/')
          .replace('Confirm that this is handed out: yes', 'Share file (empty: no more):'),
      );
      const { code, output } = await signAgain();
      expect(code).to.equal(1);
      expect(output).to.include('1 of the 3 shares was given');
    });

    it('a wrong share, which is named', async () => {
      const share = await readFile(path('enkh/share.txt'), 'utf8');
      await writeFile(
        path('enkh/share.txt'),
        share.replace(
          /(Share: )(.)/,
          (_, name: string, digit: string) => `${name}${digit === '0' ? '1' : '0'}`,
        ),
      );
      await answer('list.answers');
      const { code, output } = await signAgain();
      expect(code).to.equal(1);
      expect(output).to.include('enkh/share.txt contains a wrong share (it says Enkh)');
      await writeFile(path('enkh/share.txt'), share);
    });

    it('a request that its key did not sign', async () => {
      const name = path('transfer/requests/personal.csr');
      const pem = await readFile(name, 'utf8');
      const [, base64 = ''] = /-----\n([^-]+)-----END/.exec(pem) ?? [];
      const der = Buffer.from(base64, 'base64');
      der[der.length - 1] = (der[der.length - 1] ?? 0) ^ 1;
      await writeFile(
        path('forged.csr'),
        `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`,
      );
      await answer('sign.answers');
      const { code, output } = await runCommands(
        `./tamga ceremony sign --dir /media/root/tamga --to /media/transfer/forged --answers sign.answers /media/forged.csr`,
      );
      expect(code).to.equal(1);
      expect(output).to.include('not signed by the key it names');
    });
  });

  describe('given to others,', () => {
    it('is opened by other custodians once they have shares', async () => {
      await answer('reshare.answers');
      await succeed(block('reshare'));
      expect(await succeed(block('record'))).to.match(/(Verified OK\n)+root\.(crl|pem): OK/);
      await answer('list.answers', (text) =>
        text.replace('/dorj/share', '/enkh/share-2').replace('/enkh/share.', '/gerel/share.'),
      );
      await succeed(block('list').replace('/list', '/later'));
      await answer('list.answers', (text) => text.replace(/\nConfirm that this.*/, ''));
      const former = await runCommands(block('list').replace('/list', '/never'));
      expect(former.code).to.equal(1);
      expect(former.output).to.include('contains a wrong share (it says Dorj)');
    });
  });

  it('shows no byte of a share, and none of the key', async () => {
    const record = await succeed('cat /media/root/tamga/record-*.txt');
    for (const name of ['chimeg', 'dorj', 'enkh']) {
      const text = await readFile(path(`${name}/share.txt`), 'utf8');
      const [, share = ''] = /^Share: (.*)$/m.exec(text) ?? [];
      expect(share).to.have.length.greaterThan(60);
      expect(page.outputs() + record).to.not.include(share);
      expect(page.outputs() + record).to.not.include(share.replaceAll(' ', ''));
    }
  });
});

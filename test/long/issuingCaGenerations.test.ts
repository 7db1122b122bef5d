import { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { createPhone, type Phone } from '../../apps/phone/phone.ts';
import { createMemoryPhoneStore } from '../../apps/phone/phoneStore.ts';
import { createRevocationChecker, EidClient } from '../../client/index.ts';
import { pem } from '../../domain/shared/pem.ts';
import { crlAddresses, ocspAddresses } from '../../infrastructure/pki/kernel/locations.ts';
import { readCertificate } from '../../infrastructure/pki/kernel/certificate.ts';
import { eventually } from '../support/assertions/eventually.ts';
import {
  block,
  type CeremonyPage,
  openCeremonyPage,
} from '../support/installation/ceremonyPage.ts';
import type { RelyingPartyCredentials } from '../../main/drill/callers.ts';
import { prepareInstallation } from '../support/installation/installation.ts';
import { liveCitizen } from '../support/installation/liveInstallation.ts';
import {
  createServiceProcess,
  type ServiceProcess,
} from '../support/installation/serviceProcess.ts';

/** A citizen's certificate for signatures, as a file beside the media. */
interface Issued {
  readonly name: string;
  readonly civilId: string;
  readonly phone: Phone;
  readonly certificate: X509Certificate;
  readonly serial: string;
}

describe('The next generation of an issuing CA', function () {
  this.timeout(300_000);
  let page: CeremonyPage;
  let party: RelyingPartyCredentials;
  const services: ServiceProcess[] = [];

  before(async () => {
    page = await openCeremonyPage('development');
    await page.answer('root.answers');
    await page.succeed(block('root'));
    await page.succeed('./tamga migrate');
    await page.succeed(block('request'));
    await page.answer('sign.answers');
    await page.succeed(block('sign'));
    const root = await page.succeed('cat /media/root/tamga/root.pem');
    const ROOT_SHA256 = new X509Certificate(root).fingerprint256.replaceAll(':', '');
    await page.succeed(block('install').replace('./tamga check-config', ''), { ROOT_SHA256 });
    party = await prepareInstallation(page.settings);
  });
  after(async () => {
    await Promise.all(services.map((each) => each.stop()));
    await page.remove();
  });

  async function start(at?: string): Promise<ServiceProcess> {
    const service = await createServiceProcess(page.settings, at);
    services.push(service);
    await service.start();
    return service;
  }

  /** Enrols the phone of a citizen. */
  async function enrolled({ origin }: ServiceProcess, number: number): Promise<Issued> {
    const phone = createPhone({ baseUrl: origin, store: createMemoryPhoneStore() });
    const { card, civilId } = liveCitizen(number);
    await phone.enrol({ card, pin1: '1234', pin2: '12345' });
    const { certificates } = await phone.status();
    const value = certificates.find(({ type }) => type === 'SIGN')?.value ?? '';
    const certificate = new X509Certificate(Buffer.from(value, 'base64'));
    const name = `citizen-${number}.pem`;
    await writeFile(page.path(name), certificate.toString());
    const serial = certificate.serialNumber.toLowerCase();
    return { name, civilId, phone, certificate, serial };
  }

  async function fetched({ origin }: ServiceProcess, address: string): Promise<Buffer> {
    const answer = await fetch(origin + new URL(address).pathname);
    expect(answer.status, address).to.equal(200);
    return Buffer.from(await answer.arrayBuffer());
  }

  /** Fetches what a certificate names, as files beside it: its CA and the CA's list. */
  async function evidenceOf(service: ServiceProcess, { name, certificate }: Issued): Promise<void> {
    const details = readCertificate(certificate.raw);
    const [crl = ''] = crlAddresses(details);
    expect(ocspAddresses(details)).to.deep.equal(['http://eid.example.mn/ocsp']);
    const [, issuer = ''] = /CA Issuers - URI:(\S+)/.exec(certificate.infoAccess ?? '') ?? [];
    await writeFile(page.path(`${name}.issuer.cer`), await fetched(service, issuer));
    await writeFile(page.path(`${name}.crl`), await fetched(service, crl));
    await page.succeed(
      `openssl x509 -inform der -in ${name}.issuer.cer -out ${name}.issuer
       curl -sf ${service.origin}/crl/root | openssl crl -inform der -out root.crl.pem
       openssl crl -inform der -in ${name}.crl > ${name}.crl.pem
       openssl crl -in ${name}.crl.pem -CAfile ${name}.issuer -noout`,
    );
  }

  const root = 'root/tamga/root.pem';

  /** Verifies the chain by OpenSSL alone, with both lists. */
  const verified = ({ name }: Issued) =>
    page.runCommands(
      `openssl verify -CAfile ${root} -untrusted ${name}.issuer -crl_check_all -CRLfile ${name}.crl.pem -CRLfile root.crl.pem ${name}`,
    );

  /** The answer of OCSP, verified by OpenSSL up to the root. */
  const ocsp = ({ origin }: ServiceProcess, { name }: Issued) =>
    page.succeed(
      `openssl ocsp -issuer ${name}.issuer -cert ${name} -url ${origin}/ocsp -CAfile ${root} -verify_other ${name}.issuer`,
    );

  /** The issuing CAs that a relying party finds. */
  async function published({ origin }: ServiceProcess): Promise<readonly string[]> {
    const discovery = (await (await fetch(`${origin}/.well-known/eid`)).json()) as {
      readonly issuingCertificates: readonly string[];
    };
    return discovery.issuingCertificates.map((each) =>
      pem('CERTIFICATE', Buffer.from(each, 'base64')),
    );
  }

  /** Logs a citizen in, verified by the client library with OCSP. */
  async function logIn(service: ServiceProcess, { civilId, phone }: Issued): Promise<void> {
    const { origin } = service;
    const client = new EidClient({
      baseUrl: origin,
      credentials: {
        rpUUID: party.relyingPartyId,
        rpName: 'Fault tests',
        apiSecret: party.apiSecret,
      },
      trust: {
        trustAnchorsPem: await readFile(page.path(root), 'utf8'),
        intermediatesPem: await published(service),
        policyArc: '1.3.6.1.4.1.99999.1',
        revocation: createRevocationChecker({ sources: ['ocsp'], ocspUrl: `${origin}/ocsp` }),
      },
    });
    const session = await client.auth.notificationByEtsi(`PNOMN-${civilId}`, [
      { type: 'displayTextAndPIN', displayText60: 'Log in' },
    ]);
    expect(await phone.confirm(await phone.open(session.sessionId), '1234')).to.equal('OK');
    const result = await client.session.waitForResult(session.sessionId);
    const { certificate } = client.validator.validateAuth(result, session);
    await client.validator.checkRevocation(certificate);
  }

  it('issues beside the one before, and each answers for its own', async () => {
    const first = await start();
    const before = await enrolled(first, 0);
    await page.succeed(block('request-next'));
    await page.answer('sign-next.answers');
    await page.succeed(block('sign-next'));
    await page.succeed(block('install-next'));

    const missing = await page.runCommands('./tamga ceremony activate organization-2');
    expect(missing.code).to.equal(1);
    expect(missing.output).to.include('Tamga Organization Issuing CA 2 has no certificate');
    const early = await page.runCommands(block('activate'));
    expect(early.code).to.equal(1);
    expect(early.output).to.include('These processes do not know Tamga Personal Issuing CA 2 yet');
    const meanwhile = await enrolled(first, 1);

    await first.stop();
    const second = await start(first.origin);
    const known = await enrolled(second, 2);
    await eventually(() => fetched(second, 'http://eid.example.mn/crl/personal-2'));
    expect(await page.succeed(block('activate'))).to.include('issues certificates from now on');
    const after = await enrolled(second, 3);

    for (const { certificate } of [before, meanwhile, known]) {
      expect(certificate.issuer).to.match(/CN=Tamga Personal Issuing CA$/m);
    }
    expect(after.certificate.issuer).to.match(/CN=Tamga Personal Issuing CA 2$/m);

    for (const each of [before, after]) {
      await evidenceOf(second, each);
      expect((await verified(each)).output).to.include(`${each.name}: OK`);
      expect(await ocsp(second, each))
        .to.include('Response verify OK')
        .and.include(': good');
      await logIn(second, each);
    }
    expect(await published(second)).to.have.length(3);

    for (const { serial } of [before, after]) {
      await page.succeed(`./tamga certificate revoke ${serial} --reason 4`);
    }
    for (const each of [before, after]) {
      await eventually(async () => {
        await evidenceOf(second, each);
        expect((await verified(each)).output).to.include('certificate revoked');
      });
      const answer = await ocsp(second, each);
      expect(answer).to.include('Response verify OK').and.include('Reason: superseded');
      const list = await page.succeed(`openssl crl -in ${each.name}.crl.pem -noout -text`);
      const listed = (issued: Issued) => list.includes(issued.serial.toUpperCase());
      expect([before, after].filter(listed)).to.deep.equal([each]);
    }
    await evidenceOf(second, meanwhile);
    expect(await ocsp(second, meanwhile)).to.include(': good');

    const seen = await page.runCommands('./tamga doctor --ntp 127.0.0.1:9 || true');
    expect(seen.output).to.include('certificate of the personal-2 CA');
    expect(seen.output).to.match(
      /certificate of the personal CA: ends .*personal-2 comes after it/,
    );
  });

  it('is signed at once where the key of the root is online', async () => {
    const online = await openCeremonyPage('development');
    try {
      await prepareInstallation(online.settings);
      const output = await online.succeed(
        './tamga ceremony request --next organization --to /media/transfer/next',
      );
      expect(output).to.include('Installed: Tamga Organization Issuing CA 2');
    } finally {
      await online.remove();
    }
  });
});

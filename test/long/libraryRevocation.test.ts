import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { demoCitizens } from '../../main/cli/demo.ts';
import { createRevocationChecker, EidClient, type ValidationError } from '../../client/index.ts';
import {
  type DemoInstallation,
  type DemoPhone,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { eventually } from '../support/assertions/eventually.ts';

const interactions = [{ type: 'displayTextAndPIN', displayText60: 'Нэвтрэх үү?' }] as const;
const modes = ['hard-fail', 'soft-fail'] as const;
const sources = ['ocsp', 'crl'] as const;

describe('The client library against the service’s OCSP and CRL', function () {
  this.timeout(60_000);
  let demo: DemoInstallation;
  let owner: DemoPhone;
  let trustAnchorsPem: string;
  let intermediatesPem: string;
  const [{ civilId } = { civilId: '' }] = demoCitizens;

  before(async () => {
    demo = await startDemoInstallation();
    owner = await demo.enrol(civilId);
    const trust = await demo.service.writeTrustFiles(join(demo.directory, 'trust'));
    trustAnchorsPem = await readFile(trust.anchorsPem, 'utf8');
    intermediatesPem = await readFile(trust.intermediatesPem, 'utf8');
  });

  after(() => demo.stop());

  /** A relying party that asks this source and no other, at this process: its port is not in the certificates. */
  function relyingParty(source: (typeof sources)[number], revocationMode: (typeof modes)[number]) {
    const { origin } = demo.service;
    const urls = { ocspUrl: `${origin}/ocsp`, crlUrl: `${origin}/crl` };
    const revocation = createRevocationChecker({ ...urls, sources: [source], nonce: 'require' });
    return new EidClient({
      baseUrl: origin,
      credentials: { rpUUID: demo.relyingPartyId, rpName: 'Tamga Demo', apiSecret: demo.apiSecret },
      trust: { trustAnchorsPem, intermediatesPem, revocation, revocationMode },
    });
  }

  async function authenticated() {
    const client = relyingParty('ocsp', 'hard-fail');
    const session = await client.auth.notificationByEtsi(`PNOMN-${civilId}`, interactions);
    await owner.phone.confirm(await owner.phone.open(session.sessionId), owner.pin1);
    const result = await client.session.waitForResult(session.sessionId);
    return client.validator.validateAuth(result, session, { personEtsi: `PNOMN-${civilId}` });
  }

  it('accepts a valid certificate and refuses it as soon as it is revoked', async () => {
    const { certificate } = await authenticated();
    const verdict = async (...of: Parameters<typeof relyingParty>) => {
      const { validator } = relyingParty(...of);
      return validator.checkRevocation(certificate).then(
        () => 'accepted',
        (error: unknown) => (error as ValidationError).code,
      );
    };
    const everywhere = async (expected: string) => {
      for (const source of sources) {
        for (const mode of modes) {
          expect(await verdict(source, mode), `${source}, ${mode}`).to.equal(expected);
        }
      }
    };
    await eventually(() => everywhere('accepted'));
    await demo.service.revokeCertificate(certificate.serialNumber.toLowerCase(), 1);
    await eventually(() => everywhere('REVOKED'));
  });
});

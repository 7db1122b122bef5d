import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { Unavailable } from '../../application/ports/faults.ts';
import { issuingCaDecider } from '../../domain/issuingCa/issuingCa.ts';
import { fold } from '../../domain/shared/decider.ts';
import {
  generationOf,
  type IssuingAuthority,
  type IssuingCa,
  issuingCas,
  kindOf,
  responderOf,
} from '../../domain/shared/issuingCas.ts';
import { caKeyLabel, caOf } from '../../infrastructure/pki/caIssuing.ts';
import {
  createCertificateAuthority,
  type StartableCertificateAuthority,
} from '../../infrastructure/pki/certificateAuthority.ts';
import { statusesUnderRoot } from '../../infrastructure/pki/revokedIssuers.ts';
import { systemClock, systemRandomness } from '../../infrastructure/system.ts';
import { rejection } from '../support/assertions/rejection.ts';
import {
  createMemoryCaCertificates,
  createTestVault,
  noRevokedIssuers,
} from '../support/doubles/memoryPki.ts';
import { certifyGeneration } from '../support/pki/nextGeneration.ts';
import { ecKey, order } from '../support/pki/pkiFixtures.ts';

const baseUrl = 'http://pki.test';

describe('Generations of issuing CAs', () => {
  const { vault, ecdsaDigests } = createTestVault();
  const kept = new Map<IssuingAuthority, Buffer>();
  let activated: IssuingCa[] = [];
  /** A process that was started before the installation, and one after it. */
  let former: StartableCertificateAuthority;
  let latter: StartableCertificateAuthority;

  const start = async () => {
    const authority = createCertificateAuthority({
      vault,
      baseUrl,
      certificates: createMemoryCaCertificates(kept),
      activated: (kind) => Promise.resolve(activated.filter((each) => kindOf(each) === kind)),
      revokedIssuers: noRevokedIssuers,
      clock: systemClock,
      randomness: systemRandomness,
    });
    await authority.start();
    return authority;
  };

  before(async () => {
    former = await start();
    await certifyGeneration('personal-2', { authority: former, vault }, kept);
    latter = await start();
  });
  beforeEach(() => {
    activated = [];
  });
  after(() => ecdsaDigests.stop());

  it('differ in name, key and addresses, the first as it always was', () => {
    const distinct = (values: readonly string[]) =>
      expect(new Set(values).size).to.equal(values.length);
    distinct(issuingCas.map((ca) => caOf(ca).commonName));
    distinct(issuingCas.map((ca) => caOf(ca).certificatePath));
    distinct(issuingCas.map((ca) => caOf(ca).crlPath));
    distinct(issuingCas.map((ca) => caKeyLabel(ca, 'key of the operator')));
    distinct(issuingCas.map(responderOf));
    expect([caOf('organization').crlPath, caOf('organization-3').crlPath]).to.deep.equal([
      '/crl/org',
      '/crl/organization-3',
    ]);
    expect(responderOf('personal')).to.equal('OCSP_PERSONAL');
    expect(responderOf('personal-2')).to.equal('OCSP_PERSONAL_2');
    expect([generationOf('personal'), generationOf('organization-9')]).to.deep.equal([1, 9]);
  });

  it('are known from the next start on, and issue from their activation on', async () => {
    expect(former.issuingCas).to.deep.equal(['personal', 'organization']);
    expect(latter.issuingCas).to.deep.equal(['personal', 'organization', 'personal-2']);
    expect((await latter.active('personal')).authority).to.equal('personal');
    activated = ['personal-2'];
    expect((await latter.active('personal')).authority).to.equal('personal-2');
    expect((await latter.active('organization')).authority).to.equal('organization');
    activated = ['personal-2', 'personal'];
    expect((await latter.active('personal')).authority).to.equal('personal');
  });

  it('leave a process that does not know the active one to the one before', async () => {
    activated = ['personal-2'];
    expect((await former.active('personal')).authority).to.equal('personal');
    activated = ['personal', 'personal-2'];
    expect((await former.active('personal')).authority).to.equal('personal');
  });

  it('sign what was ordered of them, whichever is active', async () => {
    activated = ['personal-2'];
    for (const authority of ['personal', 'personal-2'] as const) {
      const der = await latter.issue(order(ecKey().publicKey, { authority }));
      const certificate = new X509Certificate(der);
      const issuer = latter.issuerOf(der);
      expect(issuer.authority).to.equal(authority);
      expect(certificate.verify(new X509Certificate(issuer.certificate).publicKey)).to.equal(true);
      expect(certificate.infoAccess).to.include(`${baseUrl}/ca/${authority}.cer`);
    }
  });

  it('have no status in a process that does not know them', async () => {
    const statuses = (authority: StartableCertificateAuthority) =>
      statusesUnderRoot(
        {
          statuses: (serials) =>
            Promise.resolve(
              serials.map((serial) => ({ serial, authority: 'personal-2', revocation: null })),
            ),
        },
        authority,
        noRevokedIssuers,
      ).statuses(['aa']);
    const [unknown] = await statuses(former);
    expect(unknown).to.have.property('unavailable').that.is.instanceOf(Unavailable);
    const [known] = await statuses(latter);
    expect(known).to.have.property('revocation', null);
    const der = await latter.issue(order(ecKey().publicKey, { authority: 'personal-2' }));
    expect(() => former.issuerOf(der)).to.throw(Unavailable);
    const refused = await rejection(
      former.issue(order(ecKey().publicKey, { authority: 'personal-2' })),
    );
    expect(refused).to.be.instanceOf(Unavailable);
  });

  it('do not start without their key', async () => {
    kept.set('personal-3', kept.get('personal-2') ?? Buffer.alloc(0));
    const refused = await rejection(start());
    kept.delete('personal-3');
    expect(refused).to.have.property('message').that.includes('There is no key ca-personal-3');
  });

  it('are activated once, and again after another one was', () => {
    const activate = (authority: IssuingCa) =>
      ({
        type: 'ActivateCa',
        activated: { authority, fingerprint: 'aa', activatedAt: '2026-01-01T00:00:00.000Z' },
      }) as const;
    const after = (...names: readonly IssuingCa[]) =>
      names.reduce(
        (state, name) =>
          fold(
            { ...issuingCaDecider, initial: state },
            issuingCaDecider.decide(activate(name), state),
          ),
        issuingCaDecider.initial,
      );
    expect(after('personal-2', 'personal-2')).to.deep.equal(['personal-2']);
    expect(after('personal-2', 'personal', 'personal-2')).to.deep.equal(['personal', 'personal-2']);
    expect(issuingCaDecider.decide(activate('personal-2'), ['personal-2'])).to.deep.equal([]);
  });
});

import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import type { KeyVault } from '../../application/ports/keyVault.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import { createPkcs11KeyVault } from '../../infrastructure/hsm/pkcs11KeyVault.ts';
import { createTokenThread, type TokenThread } from '../../infrastructure/hsm/tokenThread.ts';
import type { IssuingAuthority } from '../../domain/shared/issuingCas.ts';
import { createCertificateAuthority } from '../../infrastructure/pki/certificateAuthority.ts';
import type { EcdsaDigestPool } from '../../infrastructure/pki/ecdsaDigestPool.ts';
import {
  createMemoryCaCertificates,
  createTestVault,
  noRevokedIssuers,
} from '../support/doubles/memoryPki.ts';
import { ecKey, order } from '../support/pki/pkiFixtures.ts';
import { rejection } from '../support/assertions/rejection.ts';
import {
  createTemporaryToken,
  softHsmModule,
  type TemporaryToken,
} from '../support/programs/softhsm.ts';
import { systemRandomness, systemClock } from '../../infrastructure/system.ts';

const label = 'organization-authority';

for (const kind of ['software', 'a token'] as const) {
  describe(`An Organization CA the operator names, with its key in ${kind}`, () => {
    let vault: KeyVault;
    let ecdsaDigests: EcdsaDigestPool | undefined;
    let token: TemporaryToken | undefined;
    let thread: TokenThread | undefined;
    /** Stored certificates of this platform; another Map is another platform with the same vault. */
    let kept: Map<IssuingAuthority, Buffer>;

    before(async function () {
      if (kind === 'software') {
        ({ vault, ecdsaDigests } = createTestVault());
        return;
      }
      if (softHsmModule === null) {
        console.log('skipped: SoftHSM2 is not installed (Debian package softhsm2)');
        this.skip();
      }
      token = await createTemporaryToken(softHsmModule);
      thread = createTokenThread(token);
      vault = createPkcs11KeyVault({ tokenKeys: thread, withLock: (_, work) => work() });
    });

    beforeEach(() => {
      kept = new Map();
    });

    after(async () => {
      await thread?.stop();
      await token?.remove();
      await ecdsaDigests?.stop();
    });

    async function started(organizationCa: { keyLabel?: string; certificate?: Buffer }) {
      const authority = createCertificateAuthority({
        revokedIssuers: noRevokedIssuers,
        vault,
        randomness: systemRandomness,
        clock: systemClock,
        certificates: createMemoryCaCertificates(kept),
        baseUrl: 'http://pki.test',
        organizationCa,
      });
      await authority.start();
      return authority;
    }

    /** A certificate the root issued for the named key, and nothing of it kept here: only the root. */
    async function issuedElsewhere(): Promise<{ organization: Buffer; personal: Buffer }> {
      const { certificates } = await started({ keyLabel: label });
      const [personal, organization] = certificates.issuing;
      kept.delete('organization');
      if (personal === undefined || organization === undefined) throw new Error('No certificate.');
      return { organization, personal };
    }

    it('issues with the key of that label', async () => {
      const authority = await started({ keyLabel: label });
      const key = await vault.findKey(label);
      const certificate = new X509Certificate(authority.issuer('organization').certificate);
      expect(certificate.publicKey.export({ format: 'der', type: 'spki' })).to.deep.equal(
        key?.publicKey,
      );
    });

    it('issues under the certificate given, from the first start on', async () => {
      const { organization: certificate } = await issuedElsewhere();
      for (let start = 0; start < 2; start += 1) {
        const authority = await started({ keyLabel: label, certificate });
        expect(authority.issuer('organization').certificate.equals(certificate)).to.equal(true);
        await authority.issue(order(ecKey().publicKey));
      }
    });

    it('does not start with the certificate of another key, and starts with the right one then', async () => {
      const { organization, personal } = await issuedElsewhere();
      const refused = await rejection(started({ keyLabel: label, certificate: personal }));
      expect(String(refused)).to.include(`does not belong to the key ${label} in the vault`);
      await started({ keyLabel: label, certificate: organization });
    });

    it('does not start with a certificate another root issued', async () => {
      const { organization } = await issuedElsewhere();
      const { vault: others, ecdsaDigests: workers } = createTestVault();
      const other = createCertificateAuthority({
        revokedIssuers: noRevokedIssuers,
        vault: others,
        randomness: systemRandomness,
        clock: systemClock,
        certificates: createMemoryCaCertificates(),
        baseUrl: 'http://pki.test',
      });
      await other.start();
      const foreign = other.issuer('organization').certificate;
      await workers.stop();
      const refused = await rejection(started({ keyLabel: label, certificate: foreign }));
      expect(String(refused)).to.include('was not issued by the Root CA');
      await started({ keyLabel: label, certificate: organization });
    });

    it('makes no key where a certificate is given for one that is missing', async () => {
      const { organization: certificate } = await issuedElsewhere();
      const refused = await rejection(started({ keyLabel: 'mistyped', certificate }));
      expect(refused).not.to.be.instanceOf(Unavailable);
      expect(String(refused)).to.include('There is no key mistyped in the vault');
      expect(await vault.findKey('mistyped')).to.equal(null);
    });

    it('does not start with another certificate than before', async () => {
      const { organization: first } = await issuedElsewhere();
      const { organization: second } = await issuedElsewhere();
      await started({ keyLabel: label, certificate: first });
      const refused = await rejection(started({ keyLabel: label, certificate: second }));
      expect(String(refused)).to.include('already has a certificate that differs');
    });
  });
}

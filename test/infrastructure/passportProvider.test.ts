import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import type { CivilRecord } from '../../application/ports/civilRegistry.ts';
import type { Verdict } from '../../application/identityVerification/ports/identityProvider.ts';
import type { CountryRevocations } from '../../infrastructure/passport/countryRevocations.ts';
import {
  createPassportProvider,
  type PassportProviderOptions,
} from '../../infrastructure/passport/passportProvider.ts';
import { rsaChip } from '../support/passport/passportChips.ts';
import {
  dataGroup1,
  type PassportPage,
  passportZone,
} from '../../infrastructure/passport/demo/passportPage.ts';
import {
  createCountryAuthority,
  createDocumentSigner,
  securityObject,
} from '../support/passport/passports.ts';
import { bold } from '../support/given/persons.ts';

const page: PassportPage = {
  surname: 'DORJ',
  givenName: 'BOLD',
  birthDate: '850315',
  sex: 'M',
  personalNumber: 'UB85031512',
};
const authority = createCountryAuthority({ country: 'MN', name: 'Mongolia CSCA' });
const signer = createDocumentSigner(authority, { country: 'MN', name: 'Mongolia DS' });
const chip = rsaChip();

describe('the passport as an identity provider', () => {
  const turn = { verificationId: 'v', derive: () => Buffer.alloc(32, 7) };

  /** Judges that passport. @param now a day */
  async function judged(
    given: {
      readonly page?: Partial<PassportPage>;
      readonly record?: CivilRecord;
      readonly now?: string;
      readonly further?: ReadonlyMap<number, Buffer>;
    } = {},
    options: Partial<PassportProviderOptions> = {},
  ): Promise<Verdict> {
    const { record = bold, now = '2026-11-22' } = given;
    const provider = createPassportProvider({
      civilRegistry: { find: () => Promise.resolve(record) },
      authorities: { certificates: [new X509Certificate(authority.certificate)], unreadable: 0 },
      clock: { now: () => new Date(`${now}T12:00:00Z`) },
      revocations: null,
      chipProof: 'offered',
      ...options,
    });
    const zone = passportZone({ ...page, ...given.page });
    const dataGroups = new Map([[1, dataGroup1(zone)], ...(given.further ?? [])]);
    const files = { securityObject: securityObject(signer, dataGroups), dataGroups };
    return provider.check(turn, { ...files, mrz: zone, chipSignature: null }, () =>
      Promise.resolve(),
    );
  }

  const born = (birthDate: string): CivilRecord => ({
    ...bold,
    identity: { ...bold.identity, birthDate },
  });

  it('accepts a person aged one hundred years, and one born today', async () => {
    for (const [birthDate, inZone] of [
      ['1925-03-15', '250315'],
      ['1926-12-31', '261231'],
      ['2026-11-22', '261122'],
    ] as const) {
      const verdict = await judged({ page: { birthDate: inZone }, record: born(birthDate) });
      expect(verdict.outcome, birthDate).to.equal('IDENTIFIED');
    }
    const other = await judged({ page: { birthDate: '250316' }, record: born('1925-03-15') });
    expect(other).to.include({ reason: 'NOT_MATCHED' });
  });

  it('takes no birth date that is not known whole', async () => {
    expect(await judged({ page: { birthDate: '8503<<' } })).to.include({ reason: 'NOT_MATCHED' });
  });

  for (const [state, reason] of [
    ['signer', 'SIGNER_CERTIFICATE_REVOKED'],
    ['authority', 'COUNTRY_AUTHORITY_REVOKED'],
  ] as const) {
    it(`refuses a document whose ${state} is revoked: ${reason}`, async () => {
      const known: CountryRevocations = {
        stateOf: (certificate, issuer) => {
          const isAuthority = certificate.fingerprint256 === issuer.fingerprint256;
          return isAuthority === (state === 'authority') ? 'REVOKED' : 'NOT_REVOKED';
        },
      };
      const revocations = { current: () => Promise.resolve(known) };
      expect(await judged({}, { revocations })).to.include({ outcome: 'FAILED', reason });
    });
  }

  it('says in the evidence what is not known of the signer, and that a chip is not proved', async () => {
    const known: CountryRevocations = { stateOf: () => 'LIST_OVERDUE' };
    const revocations = { current: () => Promise.resolve(known) };
    const verdict = await judged({}, { revocations });
    expect(verdict.outcome === 'IDENTIFIED' && verdict.evidence).to.include({
      signerRevocation: 'LIST_OVERDUE',
      chip: 'NOT_PROVED',
    });
  });

  for (const [chipProof, withKey, withoutKey] of [
    ['optional', 'IDENTIFIED', 'IDENTIFIED'],
    ['offered', 'ACTIVE_AUTHENTICATION_MISSING', 'IDENTIFIED'],
    ['required', 'ACTIVE_AUTHENTICATION_MISSING', 'ACTIVE_AUTHENTICATION_NOT_OFFERED'],
  ] as const) {
    it(`asks a silent chip for a proof as configured: ${chipProof}`, async () => {
      const outcome = (verdict: Verdict) =>
        verdict.outcome === 'FAILED' ? verdict.reason : verdict.outcome;
      const further = new Map([[15, chip.dataGroup15]]);
      expect(outcome(await judged({ further }, { chipProof }))).to.equal(withKey);
      expect(outcome(await judged({}, { chipProof }))).to.equal(withoutKey);
    });
  }
});

import type { CivilRecord, CivilRegistry } from '../../application/ports/civilRegistry.ts';
import type { Clock } from '../../application/ports/clock.ts';
import {
  failed,
  type IdentityProvider,
  type VerificationTurn,
} from '../../application/identityVerification/ports/identityProvider.ts';
import {
  isSameName,
  registrationNumbers,
} from '../../domain/identityVerification/travelDocument.ts';
import { readPersonIdentifier } from '../../domain/shared/etsi.ts';
import { CHALLENGE_BYTES } from './activeAuthentication.ts';
import type { CountryAuthorities } from './countryAuthorities.ts';
import { noRevocations, type RevocationFiles } from './countryRevocations.ts';
import { PassportRejected } from './rejection.ts';
import { type chipProofs, type VerifiedPassport, verifyPassport } from './verifyPassport.ts';

export interface PassportProviderOptions {
  readonly civilRegistry: CivilRegistry;
  readonly authorities: CountryAuthorities;
  /** Null: revocation is not checked. */
  readonly revocations: RevocationFiles | null;
  readonly chipProof: (typeof chipProofs)[number];
  readonly clock: Clock;
}

/** State of the civil register, as documents name it. */
const HOME = 'MNG';

/**
 * Identifies a citizen by their passport or identity card with a chip: verifies the State's signature over the chip's
 * data, looks up its personal number in the civil register, and compares the document with the record. The chip signs a
 * challenge of this turn where it can: otherwise its data may have been read once and replayed.
 */
export function createPassportProvider({
  civilRegistry,
  authorities,
  revocations,
  chipProof,
  clock,
}: PassportProviderOptions): IdentityProvider<'passport'> {
  async function find(passport: VerifiedPassport): Promise<CivilRecord | null> {
    const numbers = [passport.personalNumber ?? '', ...passport.zone.optionalData];
    for (const number of numbers) {
      const identifier = readPersonIdentifier(number);
      const candidates =
        identifier?.type === 'civilId'
          ? [identifier]
          : registrationNumbers(number).map(
              (registrationNumber) => ({ type: 'registrationNumber', registrationNumber }) as const,
            );
      for (const candidate of candidates) {
        const record = await civilRegistry.find(candidate);
        // Latin letters may stand for several numbers: those of other persons are skipped.
        if (record !== null && isHolder(record, passport)) return record;
      }
    }
    return null;
  }

  return {
    nextStep: (turn) => ({ type: 'PASSPORT', challenge: challengeOf(turn).toString('base64') }),
    async check(turn, { mrz, ...files }, countFor) {
      const known = (await revocations?.current()) ?? noRevocations;
      let passport: VerifiedPassport;
      try {
        passport = verifyPassport({
          zone: mrz,
          files,
          authorities,
          revocations: known,
          now: clock.now(),
          chipProof,
          challenge: challengeOf(turn),
        });
      } catch (error) {
        if (error instanceof PassportRejected) return failed(error.fault);
        throw error;
      }
      if (passport.zone.issuingState !== HOME) return failed('DOCUMENT_UNSUITABLE');
      const record = await find(passport);
      if (record === null) return failed('NOT_MATCHED');
      await countFor(record.civilId);
      return { outcome: 'IDENTIFIED', record, evidence: evidenceOf(passport) };
    },
  };
}

/** `RND.IFD`, new in every turn, so that a chip's signature cannot be replayed. */
function challengeOf({ derive }: VerificationTurn): Buffer {
  return derive('active authentication').subarray(0, CHALLENGE_BYTES);
}

function isHolder({ identity, cardNumber }: CivilRecord, { zone }: VerifiedPassport): boolean {
  const hasGivenName = zone.secondaryIdentifier !== '';
  return (
    // The zone has a year of two digits; the register knows the century.
    zone.birthDate?.slice(2) === identity.birthDate.slice(2) &&
    (zone.sex === 'X' || identity.gender === 'X' || zone.sex === identity.gender) &&
    isSameName(zone.primaryIdentifier, identity.surnameLatin, zone.isNameCut && !hasGivenName) &&
    isSameName(zone.secondaryIdentifier, identity.givenNameLatin, zone.isNameCut) &&
    // The register knows which card is in force, but not which passport.
    (zone.documentCode.startsWith('P') || zone.documentNumber === cardNumber?.toUpperCase())
  );
}

function evidenceOf({ zone, ...passport }: VerifiedPassport) {
  const { hash, dataGroups, signerSerial, signerRevocation, isChipProved } = passport;
  return {
    document: zone.documentCode.startsWith('P') ? 'PASSPORT' : 'IDENTITY_CARD',
    issuingState: zone.issuingState,
    documentNumber: zone.documentNumber,
    expiryDate: zone.expiryDate,
    signerSerial,
    signerRevocation,
    hash,
    chip: isChipProved ? 'ACTIVE_AUTHENTICATION' : 'NOT_PROVED',
    dataGroups: [...dataGroups].map(([number, digest]) => `DG${number}:${digest}`).join(' '),
  };
}

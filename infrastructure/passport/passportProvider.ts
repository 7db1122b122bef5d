import type { CivilRecord, CivilRegistry } from '../../application/ports/civilRegistry.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { IdentityProvider, Verdict } from '../../application/ports/identityProvider.ts';
import type { VerificationFailure } from '../../domain/identityVerification/events.ts';
import {
  isSameName,
  registrationNumbers,
} from '../../domain/identityVerification/travelDocument.ts';
import { readPersonIdentifier } from '../../domain/shared/etsi.ts';
import type { CountryAuthorities } from './countryAuthorities.ts';
import { PassportRejected } from './rejection.ts';
import { type VerifiedPassport, verifyPassport } from './verifyPassport.ts';

export interface PassportProviderOptions {
  readonly civilRegistry: CivilRegistry;
  readonly authorities: CountryAuthorities;
  readonly clock: Clock;
}

/** The State whose citizens the civil register knows, as documents name it. */
const HOME = 'MNG';

/**
 * Identifies a citizen by their passport or identity card with a chip: the State's signature over what the chip holds is
 * verified, then its personal number is looked up in the civil register, and what the document says must be what stands
 * there. Whether the chip is the one the State issued is not asked (active authentication takes the chip itself).
 */
export function createPassportProvider({
  civilRegistry,
  authorities,
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
        // Latin letters stand for several numbers: the one of somebody else is passed over.
        if (record !== null && isHolder(record, passport)) return record;
      }
    }
    return null;
  }

  return {
    nextStep: () => ({ type: 'PASSPORT' }),
    async check(_turn, { mrz, securityObject, dataGroups }, countFor) {
      let passport: VerifiedPassport;
      try {
        passport = verifyPassport({
          ...{ zone: mrz, authorities, now: clock.now() },
          files: { securityObject, dataGroups },
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

function isHolder({ identity, cardNumber }: CivilRecord, { zone }: VerifiedPassport): boolean {
  const hasGivenName = zone.secondaryIdentifier !== '';
  return (
    zone.birthDate === identity.birthDate &&
    (zone.sex === 'X' || identity.gender === 'X' || zone.sex === identity.gender) &&
    isSameName(zone.primaryIdentifier, identity.surnameLatin, zone.isNameCut && !hasGivenName) &&
    isSameName(zone.secondaryIdentifier, identity.givenNameLatin, zone.isNameCut) &&
    // Of cards the register knows which one is in force; of passports it does not.
    (zone.documentCode.startsWith('P') || zone.documentNumber === cardNumber?.toUpperCase())
  );
}

function evidenceOf({ zone, hash, dataGroups, signerSerial }: VerifiedPassport) {
  return {
    document: zone.documentCode.startsWith('P') ? 'PASSPORT' : 'IDENTITY_CARD',
    issuingState: zone.issuingState,
    documentNumber: zone.documentNumber,
    expiryDate: zone.expiryDate,
    signerSerial,
    hash,
    dataGroups: [...dataGroups].map(([number, digest]) => `DG${number}:${digest}`).join(' '),
  };
}

function failed(reason: VerificationFailure): Verdict {
  return { outcome: 'FAILED', reason };
}

import { timingSafeEqual } from 'node:crypto';
import { sha256 } from '../../domain/shared/digest.ts';
import { folded, readPersonIdentifier } from '../../domain/shared/etsi.ts';
import type { CivilRecord, CivilRegistry } from '../ports/civilRegistry.ts';
import type { CitizenCard, IdentityProvider } from './ports/identityProvider.ts';

/**
 * Identifies a person by the identity card in force. Every mismatch, an unknown person included, has the same reason.
 */
export function createCitizenCardProvider({
  civilRegistry,
}: {
  readonly civilRegistry: CivilRegistry;
}): IdentityProvider<'citizenCard'> {
  return {
    nextStep: () => ({ type: 'CARD' }),
    async check(_turn, card, countFor) {
      const identifier = readPersonIdentifier(card.identifier);
      if (identifier === null) return { outcome: 'FAILED', reason: 'NOT_MATCHED' };
      const record = await civilRegistry.find(identifier);
      // Both identifiers of a person share one count; an unknown person is counted by the given identifier.
      const asked =
        identifier.type === 'civilId' ? identifier.civilId : identifier.registrationNumber;
      await countFor(record?.civilId ?? asked);
      return matches(record, card)
        ? { outcome: 'IDENTIFIED', record, evidence: { document: 'IDENTITY_CARD' } }
        : { outcome: 'FAILED', reason: 'NOT_MATCHED' };
    },
  };
}

/** Compares everything in any case, so that the duration reveals nothing. */
function matches(record: CivilRecord | null, card: CitizenCard): record is CivilRecord {
  const cardMatches = same(record?.cardNumber ?? '', card.cardNumber);
  const birthDateMatches = same(record?.identity.birthDate ?? '', card.birthDate);
  if (record === null || record.cardNumber === null) return false;
  return cardMatches && birthDateMatches;
}

function same(known: string, given: string): boolean {
  return timingSafeEqual(sha256(folded(known)), sha256(folded(given)));
}

import { timingSafeEqual } from 'node:crypto';
import { sha256 } from '../../domain/shared/digest.ts';
import { readPersonIdentifier } from '../../domain/shared/etsi.ts';
import type { CivilRecord, CivilRegistry } from '../ports/civilRegistry.ts';
import type { CitizenCard, IdentityProvider } from '../ports/identityProvider.ts';

/**
 * Identifies a person by the identity card in force. Whatever does not match, and whether the person exists at all, the
 * reason is the same.
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
      // Both ways to name a person count together; somebody unknown is counted by the name asked for.
      const asked =
        identifier.type === 'civilId' ? identifier.civilId : identifier.registrationNumber;
      await countFor(record?.civilId ?? asked);
      return matches(record, card)
        ? { outcome: 'IDENTIFIED', record, evidence: { document: 'IDENTITY_CARD' } }
        : { outcome: 'FAILED', reason: 'NOT_MATCHED' };
    },
  };
}

/** Compares everything, found or not, so that the time taken tells nothing. */
function matches(record: CivilRecord | null, card: CitizenCard): record is CivilRecord {
  const cardMatches = same(record?.cardNumber ?? '', card.cardNumber);
  const birthDateMatches = same(record?.identity.birthDate ?? '', card.birthDate);
  if (record === null || record.cardNumber === null) return false;
  return cardMatches && birthDateMatches;
}

function same(known: string, given: string): boolean {
  return timingSafeEqual(sha256(folded(known)), sha256(folded(given)));
}

function folded(text: string): string {
  return text.normalize('NFC').trim().toUpperCase();
}

import { timingSafeEqual } from 'node:crypto';
import { sha256 } from '../../domain/shared/digest.ts';
import { parsePersonIdentifier, personEtsi } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { AttemptLimits } from '../ports/attemptLimits.ts';
import type { CivilRecord, CivilRegistry } from '../ports/civilRegistry.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { Citizens } from './citizens.ts';
import { newEnrolmentToken } from './enrolmentToken.ts';

/** What stands on the identity card. */
export interface CitizenCard {
  /** Civil id or registration number, with or without `PNOMN-`. */
  readonly identifier: string;
  readonly cardNumber: string;
  /** `YYYY-MM-DD`. */
  readonly birthDate: string;
}

export interface VerifiedIdentity {
  /** To be shown once, to this caller only. */
  readonly enrolmentToken: string;
  readonly expiresAt: Date;
  readonly etsi: string;
}

export interface VerifyIdentityDependencies {
  readonly civilRegistry: CivilRegistry;
  readonly citizens: Citizens;
  readonly attemptLimits: AttemptLimits;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** How long an enrolment token is good for, ms. */
const TOKEN_LIFE = 15 * 60_000;

/**
 * Identifies a person by the card in force and gives a one-time token to enrol one phone with. Whatever does not
 * match, and whether the person exists at all, the answer is the same.
 *
 * @throws Refusal IDENTITY_NOT_VERIFIED, RATE_LIMITED after too many attempts for one person
 * @throws Unavailable(civilRegistry)
 */
export async function verifyIdentityByCitizenCard(
  dependencies: VerifyIdentityDependencies,
  card: CitizenCard,
  context: CommandContext,
): Promise<VerifiedIdentity> {
  const { civilRegistry, citizens, attemptLimits, clock, randomness } = dependencies;
  const identifier = parsePersonIdentifier(card.identifier);
  const record = await civilRegistry.find(identifier);
  // Both ways to name a person count together; somebody unknown is counted by the name asked for.
  const key =
    record?.civilId ??
    (identifier.type === 'civilId' ? identifier.civilId : identifier.registrationNumber);
  const wait = await attemptLimits.attempt(key);
  if (wait > 0) throw new Refusal('RATE_LIMITED', { retryAfterSeconds: wait });
  if (!matches(record, card)) throw new Refusal('IDENTITY_NOT_VERIFIED');
  await attemptLimits.succeeded(key);

  const { civilId, identity } = record;
  const enrolmentToken = newEnrolmentToken(civilId, randomness);
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + TOKEN_LIFE);
  await citizens.handle(
    civilId,
    {
      type: 'RecordVerifiedIdentity',
      civilId,
      method: 'citizenCard',
      identity,
      enrolmentTokenHash: sha256(enrolmentToken).toString('hex'),
      now: now.toISOString(),
      tokenExpiresAt: expiresAt.toISOString(),
    },
    context,
  );
  return { enrolmentToken, expiresAt, etsi: personEtsi(civilId) };
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

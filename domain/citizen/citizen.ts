import { type Decider, unreachable } from '../shared/decider.ts';
import type { CertificateLevel } from '../shared/certificateLevel.ts';
import { type History, newestFirst, remembering } from '../shared/history.ts';
import { Refusal } from '../shared/refusal.ts';
import type { CitizenEvent, Identity, IdentityVerificationMethod } from './events.ts';

// State

/** A one-time token to enrol one device. */
interface EnrolmentToken {
  readonly hash: string;
  readonly identity: Identity;
  readonly highestLevel: CertificateLevel;
  readonly issuedAt: string;
  readonly expiresAt: string;
}

/** Use of a token. */
interface UsedToken {
  readonly hash: string;
  /** Identifies a repeated enrolment. */
  readonly documentNumber: string;
  readonly highestLevel: CertificateLevel;
  readonly issuedAt: string;
}

export type Citizen =
  | { readonly status: 'NONE' }
  | { readonly status: 'VERIFIED'; readonly tokens: readonly EnrolmentToken[] }
  | {
      readonly status: 'ENROLLED';
      readonly identity: Identity;
      readonly tokens: readonly EnrolmentToken[];
      readonly used: History<UsedToken>;
      /** Block of enrolments until its end; null: not requested. */
      readonly block: EnrolmentBlock | null;
      /** Relying parties that may send requests again. */
      readonly allowed: History<AllowedPushes>;
    };

/** "It was not me" taken back. */
interface AllowedPushes {
  readonly relyingPartyId: string;
  readonly allowedAt: string;
}

interface EnrolmentBlock {
  /** Of the phone that was disowned. */
  readonly documentNumber: string;
  /** Document number of the phone it was said on. */
  readonly blockedBy: string;
  readonly until: string;
}

/** Level of a verification that no copy suffices for: by a chip, a secret or a second factor. */
const PROVED: CertificateLevel = 'QSCD';

const initial: Citizen = { status: 'NONE' };

function evolve(citizen: Citizen, event: CitizenEvent): Citizen {
  const tokens = citizen.status === 'NONE' ? [] : citizen.tokens;
  const used = citizen.status === 'ENROLLED' ? citizen.used : null;
  switch (event.type) {
    case 'IdentityVerified': {
      const { enrolmentTokenHash: hash, identity, highestLevel } = event.data;
      const { verifiedAt: issuedAt, tokenExpiresAt: expiresAt } = event.data;
      const usable = tokens.filter((token) => issuedAt < token.expiresAt);
      const withToken = [...usable, { hash, identity, highestLevel, issuedAt, expiresAt }];
      return citizen.status === 'ENROLLED'
        ? { ...citizen, tokens: withToken }
        : { status: 'VERIFIED', tokens: withToken };
    }
    case 'CitizenEnrolled': {
      const { enrolmentTokenHash: hash, documentNumber, identity } = event.data;
      return {
        status: 'ENROLLED',
        identity,
        tokens: without(tokens, hash),
        used: remembering(used, useOf(tokens, hash, documentNumber)),
        block: null,
        allowed: citizen.status === 'ENROLLED' ? citizen.allowed : null,
      };
    }
    default:
      return citizen.status === 'ENROLLED' ? evolveEnrolled(citizen, event) : citizen;
  }
}

type Enrolled = Extract<Citizen, { status: 'ENROLLED' }>;

function evolveEnrolled(
  citizen: Enrolled,
  event: Exclude<CitizenEvent, { type: 'IdentityVerified' | 'CitizenEnrolled' }>,
): Citizen {
  switch (event.type) {
    case 'EnrolmentTokenUsed': {
      const { enrolmentTokenHash: hash, documentNumber } = event.data;
      const { tokens, used } = citizen;
      return {
        ...citizen,
        tokens: without(tokens, hash),
        used: remembering(used, useOf(tokens, hash, documentNumber)),
      };
    }
    case 'IdentityUpdated':
      return { ...citizen, identity: event.data.identity };
    case 'EnrolmentsBlocked': {
      const { documentNumber, blockedBy, until } = event.data;
      return { ...citizen, block: { documentNumber, blockedBy, until } };
    }
    case 'PushesAllowed': {
      const { relyingPartyId, allowedAt } = event.data;
      return { ...citizen, allowed: remembering(citizen.allowed, { relyingPartyId, allowedAt }) };
    }
    default:
      return unreachable(event);
  }
}

function useOf(tokens: readonly EnrolmentToken[], hash: string, documentNumber: string): UsedToken {
  const token = tokens.find((known) => known.hash === hash);
  const { highestLevel = 'ADVANCED', issuedAt = '' } = token ?? {};
  return { hash, documentNumber, highestLevel, issuedAt };
}

function without(tokens: readonly EnrolmentToken[], hash: string): readonly EnrolmentToken[] {
  return tokens.filter((token) => token.hash !== hash);
}

// Commands

export type CitizenCommand =
  | {
      readonly type: 'RecordVerifiedIdentity';
      readonly civilId: string;
      readonly method: IdentityVerificationMethod;
      readonly identity: Identity;
      readonly highestLevel: CertificateLevel;
      readonly enrolmentTokenHash: string;
      readonly now: string;
      readonly tokenExpiresAt: string;
    }
  | {
      readonly type: 'BlockEnrolments';
      readonly civilId: string;
      /** Of the phone that was disowned. */
      readonly documentNumber: string;
      /** Document number of the phone it was said on. */
      readonly blockedBy: string;
      readonly until: string;
      readonly now: string;
    }
  | {
      readonly type: 'AllowPushes';
      readonly civilId: string;
      readonly relyingPartyId: string;
      /** Time of the last "It was not me". */
      readonly disownedAt: string;
      readonly now: string;
    }
  | {
      readonly type: 'Enrol';
      readonly civilId: string;
      readonly enrolmentTokenHash: string;
      readonly documentNumber: string;
      readonly now: string;
      /** Time before which no token counts: it may have been used since, and the log does not know. Null: none. */
      readonly countsSince: string | null;
    };

// Decisions

function decide(command: CitizenCommand, citizen: Citizen): readonly CitizenEvent[] {
  switch (command.type) {
    case 'RecordVerifiedIdentity': {
      const { civilId, method, identity, highestLevel, enrolmentTokenHash, tokenExpiresAt } =
        command;
      if (knowsToken(citizen, enrolmentTokenHash)) return [];
      return [
        {
          type: 'IdentityVerified',
          data: {
            civilId,
            method,
            identity,
            highestLevel,
            enrolmentTokenHash,
            verifiedAt: command.now,
            tokenExpiresAt,
          },
        },
      ];
    }
    case 'Enrol':
      return enrol(command, citizen);
    case 'BlockEnrolments':
      return block(command, citizen);
    case 'AllowPushes':
      return allowPushes(command, citizen);
    default:
      return unreachable(command);
  }
}

/** Use of a token; undefined: unused, or unknown. */
export function useOfToken(citizen: Citizen, hash: string): UsedToken | undefined {
  if (citizen.status !== 'ENROLLED') return undefined;
  return newestFirst(citizen.used).find((use) => use.hash === hash);
}

/** True for a token issued before, used or not. */
function knowsToken(citizen: Citizen, hash: string): boolean {
  if (citizen.status === 'NONE') return false;
  return (
    useOfToken(citizen, hash) !== undefined || citizen.tokens.some((known) => known.hash === hash)
  );
}

function enrol(
  command: Extract<CitizenCommand, { type: 'Enrol' }>,
  citizen: Citizen,
): readonly CitizenEvent[] {
  const { civilId, enrolmentTokenHash, documentNumber, now } = command;
  expectCounts(citizen, command);
  expectNoBlock(citizen, command);
  if (useOfToken(citizen, enrolmentTokenHash)?.documentNumber === documentNumber) return [];
  const token = usableToken(citizen, enrolmentTokenHash, now);
  if (citizen.status !== 'ENROLLED') {
    return [
      {
        type: 'CitizenEnrolled',
        data: {
          civilId,
          identity: token.identity,
          enrolmentTokenHash,
          documentNumber,
          enrolledAt: now,
        },
      },
    ];
  }
  const used: CitizenEvent = {
    type: 'EnrolmentTokenUsed',
    data: { civilId, enrolmentTokenHash, documentNumber, usedAt: now },
  };
  return sameIdentity(citizen.identity, token.identity)
    ? [used]
    : [
        used,
        { type: 'IdentityUpdated', data: { civilId, identity: token.identity, updatedAt: now } },
      ];
}

/**
 * Also refuses an interrupted enrolment, which may have come to its end and given out certificates: serials follow from
 * the token, and must not be given twice.
 *
 * @throws Refusal ENROLMENT_TOKEN_INVALID
 */
function expectCounts(
  citizen: Citizen,
  { enrolmentTokenHash: hash, countsSince }: Extract<CitizenCommand, { type: 'Enrol' }>,
): void {
  if (citizen.status === 'NONE' || countsSince === null) return;
  const token = citizen.tokens.find((known) => known.hash === hash) ?? useOfToken(citizen, hash);
  if (token === undefined || token.issuedAt >= countsSince) return;
  throw new Refusal('ENROLMENT_TOKEN_INVALID', {
    detail:
      'The service was restored from a backup after the identity was verified. Verify the identity again.',
  });
}

/**
 * Also blocks an interrupted enrolment. A phone enrolled by a copy holds nobody up who proved their identity: it may be the
 * thief's.
 *
 * @throws Refusal ENROLMENT_BLOCKED
 */
function expectNoBlock(
  citizen: Citizen,
  { enrolmentTokenHash: hash, now }: Extract<CitizenCommand, { type: 'Enrol' }>,
): void {
  if (citizen.status !== 'ENROLLED' || citizen.block === null || now >= citizen.block.until) return;
  const { until, blockedBy } = citizen.block;
  const token = citizen.tokens.find((known) => known.hash === hash) ?? useOfToken(citizen, hash);
  if (token?.highestLevel === PROVED && !isProvedPhone(citizen, blockedBy)) return;
  throw new Refusal('ENROLMENT_BLOCKED', {
    detail: `The citizen reported on a phone that a new phone was not theirs. Enrol after ${until}.`,
    retryAfterSeconds: Math.ceil((Date.parse(until) - Date.parse(now)) / 1000),
  });
}

/** True for a phone that was enrolled after a verification no copy suffices for. */
function isProvedPhone(citizen: Citizen, documentNumber: string): boolean {
  if (citizen.status !== 'ENROLLED') return false;
  return newestFirst(citizen.used).some(
    (use) => use.documentNumber === documentNumber && use.highestLevel === PROVED,
  );
}

/** A phone of a citizen. */
interface EnrolledPhone {
  readonly documentNumber: string;
  readonly enrolledAt: string;
}

/** True when the owner may end `other` on `phone`: the better proved one prevails, of equals the older. */
export function mayEndPhone(citizen: Citizen, phone: EnrolledPhone, other: EnrolledPhone): boolean {
  const isProved = isProvedPhone(citizen, phone.documentNumber);
  if (isProved !== isProvedPhone(citizen, other.documentNumber)) return isProved;
  return phone.enrolledAt < other.enrolledAt;
}

/**
 * True when the owner may end `other` by confirming it on `phone`: a phone ends itself, and what {@link mayEndPhone} allows;
 * one that no other phone of the owner disowned in the time there was for it ends any.
 *
 * @param settledSince phones enrolled until then were not disowned in time, ISO 8601
 */
export function mayEndOnPage(
  citizen: Citizen,
  phone: EnrolledPhone,
  other: EnrolledPhone,
  settledSince: string,
): boolean {
  return (
    phone.documentNumber === other.documentNumber ||
    phone.enrolledAt <= settledSince ||
    mayEndPhone(citizen, phone, other)
  );
}

/** Disowning the same phone again does not prolong it. */
function block(
  command: Extract<CitizenCommand, { type: 'BlockEnrolments' }>,
  citizen: Citizen,
): readonly CitizenEvent[] {
  const { civilId, documentNumber, blockedBy, until, now } = command;
  if (citizen.status !== 'ENROLLED' || citizen.block?.documentNumber === documentNumber) return [];
  const data = { civilId, documentNumber, blockedBy, until, blockedAt: now };
  return [{ type: 'EnrolmentsBlocked', data }];
}

/** Allowing again what is allowed changes nothing. */
function allowPushes(
  { civilId, relyingPartyId, disownedAt, now }: Extract<CitizenCommand, { type: 'AllowPushes' }>,
  citizen: Citizen,
): readonly CitizenEvent[] {
  if (citizen.status !== 'ENROLLED') throw new Refusal('PERSON_NOT_FOUND');
  const since = allowedSince(citizen, relyingPartyId);
  if (since !== null && since >= disownedAt) return [];
  return [{ type: 'PushesAllowed', data: { civilId, relyingPartyId, allowedAt: now } }];
}

/** Time the citizen took "It was not me" back last; what they said before does not count. Null: never. */
export function allowedSince(citizen: Citizen, relyingPartyId: string): string | null {
  if (citizen.status !== 'ENROLLED') return null;
  for (const allowed of newestFirst(citizen.allowed)) {
    if (allowed.relyingPartyId === relyingPartyId) return allowed.allowedAt;
  }
  return null;
}

/** The token's verified identity. @throws Refusal ENROLMENT_TOKEN_INVALID when unknown, used or expired. */
function usableToken(citizen: Citizen, hash: string, now: string): EnrolmentToken {
  const token =
    citizen.status === 'NONE' ? undefined : citizen.tokens.find((known) => known.hash === hash);
  if (token === undefined) throw new Refusal('ENROLMENT_TOKEN_INVALID');
  if (now >= token.expiresAt) {
    throw new Refusal('ENROLMENT_TOKEN_INVALID', {
      detail: 'The enrolment token has expired. Verify the identity again.',
    });
  }
  return token;
}

function sameIdentity(left: Identity, right: Identity): boolean {
  return (Object.keys(left) as (keyof Identity)[]).every((field) => left[field] === right[field]);
}

/** The citizen aggregate: identity facts and one-time enrolment tokens. Stream `citizen-<civil id>`. */
export const citizenDecider: Decider<Citizen, CitizenCommand, CitizenEvent> = {
  initial,
  evolve,
  decide,
};

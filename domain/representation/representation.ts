import { type Decider, unreachable } from '../shared/decider.ts';
import { Refusal } from '../shared/refusal.ts';
import type { RepresentationEvent, RightTerms, SignerInvited } from './events.ts';

// State

/** PENDING: invited and not confirmed. WITHDRAWN: kept, to distinguish a former right from none. */
export type Right =
  | (RightTerms & { readonly status: 'ACTIVE' | 'WITHDRAWN' })
  | (RightTerms & {
      readonly status: 'PENDING';
      /** Sessions in which the person may accept, the newest last. */
      readonly sessionIds: readonly string[];
    });

/** All rights to represent one organization, by civil id. */
export interface Representation {
  readonly rights: ReadonlyMap<string, Right>;
}

const initial: Representation = { rights: new Map() };

function evolve({ rights }: Representation, event: RepresentationEvent): Representation {
  const right = evolveRight(rights.get(event.data.civilId), event);
  return right === undefined ? { rights } : { rights: new Map(rights).set(right.civilId, right) };
}

function evolveRight(right: Right | undefined, event: RepresentationEvent): Right | undefined {
  switch (event.type) {
    case 'RightGranted':
      return { ...termsOf(event.data), status: 'ACTIVE' };
    case 'SignerInvited':
      return invited(right, event.data);
    case 'SignerConfirmed':
      return right && { ...termsOf(right), status: 'ACTIVE', validFrom: event.data.confirmedAt };
    case 'RightWithdrawn':
      return right && { ...termsOf(right), status: 'WITHDRAWN' };
    default:
      return unreachable(event);
  }
}

function invited(right: Right | undefined, data: SignerInvited['data']): Right {
  return {
    civilId: data.civilId,
    rightType: 'MANAGER',
    role: data.role,
    source: 'MANUAL',
    evidenceRef: null,
    validFrom: data.invitedAt,
    validTo: null,
    status: 'PENDING',
    sessionIds: [...(right?.status === 'PENDING' ? right.sessionIds : []), data.sessionId],
  };
}

function termsOf(right: RightTerms): RightTerms {
  const { civilId, rightType, role, source, evidenceRef, validFrom, validTo } = right;
  return { civilId, rightType, role, source, evidenceRef, validFrom, validTo };
}

/** True for a confirmed right in force at `now` (ISO 8601): from validFrom, up to and excluding validTo. */
export function isRightInForce(right: Right, now: string): boolean {
  const { status, validFrom, validTo } = right;
  return status === 'ACTIVE' && validFrom <= now && (validTo === null || now < validTo);
}

/** True for an administrator at `now` (ISO 8601). */
export function isAdmin({ rights }: Representation, civilId: string, now: string): boolean {
  const right = rights.get(civilId);
  return right?.rightType === 'ADMIN' && isRightInForce(right, now);
}

/**
 * The person's right in force at `now` (ISO 8601).
 *
 * @throws Refusal REPRESENTATION_DENIED, REPRESENTATION_PENDING, REPRESENTATION_EXPIRED, REPRESENTATION_REVOKED
 */
export function expectRight({ rights }: Representation, civilId: string, now: string): Right {
  const right = rights.get(civilId);
  if (right === undefined) throw new Refusal('REPRESENTATION_DENIED');
  if (isRightInForce(right, now)) return right;
  if (right.status === 'PENDING') throw new Refusal('REPRESENTATION_PENDING');
  if (right.status === 'WITHDRAWN') throw new Refusal('REPRESENTATION_REVOKED');
  throw new Refusal(now < right.validFrom ? 'REPRESENTATION_PENDING' : 'REPRESENTATION_EXPIRED');
}

// Commands

interface Common {
  readonly register: string;
  readonly civilId: string;
  readonly now: string;
}

export type RepresentationCommand =
  | (Common & { readonly type: 'GrantRight'; readonly terms: RightTerms })
  | (Common & {
      readonly type: 'InviteSigner' | 'InviteSignerAgain';
      /** Civil id of the inviter. */
      readonly invitedBy: string;
      readonly role: string | null;
      readonly sessionId: string;
    })
  | (Common & { readonly type: 'ConfirmSigner'; readonly sessionId: string })
  | (Common & {
      readonly type: 'RemoveSigner';
      /** Civil id of the remover. */
      readonly removedBy: string;
    })
  | (Common & { readonly type: 'WithdrawRight' });

// Decisions

function decide(
  command: RepresentationCommand,
  state: Representation,
): readonly RepresentationEvent[] {
  const right = state.rights.get(command.civilId);
  switch (command.type) {
    case 'GrantRight':
      return grant(command, state, right);
    case 'InviteSigner':
    case 'InviteSignerAgain':
      return invite(command, state, right);
    case 'ConfirmSigner':
      return confirm(command, right);
    case 'RemoveSigner':
      expectAdmin(state, command.removedBy, command.now);
      if (right?.status === 'ACTIVE' && right.rightType === 'ADMIN') {
        const detail = 'Administrators are not removed as signers; end the link of the person.';
        throw new Refusal('CONFLICT', { detail });
      }
      return withdraw(command, state, right);
    case 'WithdrawRight':
      return withdraw(command, state, right);
    default:
      return unreachable(command);
  }
}

function grant(
  { register, terms, now }: Extract<RepresentationCommand, { type: 'GrantRight' }>,
  state: Representation,
  right: Right | undefined,
): readonly RepresentationEvent[] {
  if (terms.validTo !== null && terms.validTo <= terms.validFrom) {
    const detail = 'A right must end after it begins.';
    throw new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '/validTo', detail }] });
  }
  if (right?.status === 'ACTIVE' && isSameRight(right, terms)) return [];
  const isStillAdmin =
    terms.rightType === 'ADMIN' && isRightInForce({ ...terms, status: 'ACTIVE' }, now);
  if (!isStillAdmin) expectAnotherAdmin(state, terms.civilId, now);
  return [{ type: 'RightGranted', data: { ...terms, register, grantedAt: now } }];
}

/** Compares terms; the start of a right already in force is ignored. */
function isSameRight(right: Right, terms: RightTerms): boolean {
  return (
    right.rightType === terms.rightType &&
    right.role === terms.role &&
    right.source === terms.source &&
    right.evidenceRef === terms.evidenceRef &&
    right.validTo === terms.validTo &&
    right.validFrom <= terms.validFrom
  );
}

function invite(
  command: Extract<RepresentationCommand, { type: 'InviteSigner' | 'InviteSignerAgain' }>,
  state: Representation,
  right: Right | undefined,
): readonly RepresentationEvent[] {
  const { register, civilId, invitedBy, sessionId, now } = command;
  expectAdmin(state, invitedBy, now);
  // One that has not started yet is not replaced either: it may be an administrator's.
  if (right?.status === 'ACTIVE' && (right.validTo === null || now < right.validTo)) {
    throw new Refusal('CONFLICT', { detail: 'The person signs for the organization already.' });
  }
  const isPending = right?.status === 'PENDING';
  const isAgain = command.type === 'InviteSignerAgain';
  if (isAgain && !isPending) {
    throw new Refusal('NOT_FOUND', { detail: 'The person is not invited.' });
  }
  if (isPending && !isAgain) return [];
  const role = isAgain && isPending ? right.role : command.role;
  return [
    {
      type: 'SignerInvited',
      data: { register, civilId, role, invitedBy, sessionId, invitedAt: now },
    },
  ];
}

/** Ignores an invitation withdrawn, or answered in another session. */
function confirm(
  { register, civilId, sessionId, now }: Extract<RepresentationCommand, { type: 'ConfirmSigner' }>,
  right: Right | undefined,
): readonly RepresentationEvent[] {
  if (right?.status !== 'PENDING' || !right.sessionIds.includes(sessionId)) return [];
  return [{ type: 'SignerConfirmed', data: { register, civilId, sessionId, confirmedAt: now } }];
}

function withdraw(
  { register, civilId, now }: Common,
  state: Representation,
  right: Right | undefined,
): readonly RepresentationEvent[] {
  if (right === undefined || right.status === 'WITHDRAWN') return [];
  expectAnotherAdmin(state, civilId, now);
  return [{ type: 'RightWithdrawn', data: { register, civilId, withdrawnAt: now } }];
}

/** @throws Refusal NOT_ORG_ADMIN */
export function expectAdmin(state: Representation, civilId: string, now: string): void {
  if (!isAdmin(state, civilId, now)) throw new Refusal('NOT_ORG_ADMIN');
}

/** @throws Refusal LAST_ADMIN when this person is the only administrator */
function expectAnotherAdmin(state: Representation, civilId: string, now: string): void {
  if (!isAdmin(state, civilId, now)) return;
  for (const other of state.rights.keys()) {
    if (other !== civilId && isAdmin(state, other, now)) return;
  }
  throw new Refusal('LAST_ADMIN');
}

/** All rights to represent one organization together: the last ADMIN stays. Stream `representation-<register>`. */
export const representationDecider: Decider<
  Representation,
  RepresentationCommand,
  RepresentationEvent
> = { initial, evolve, decide };

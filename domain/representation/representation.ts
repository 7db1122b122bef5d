import { type Decider, unreachable } from '../shared/decider.ts';
import { withNewest } from '../shared/history.ts';
import { Refusal } from '../shared/refusal.ts';
import type { RepresentationEvent, RightRequested, RightTerms, SignerInvited } from './events.ts';

// State

interface Linked extends RightTerms {
  /** Relying party that linked the person; null: none known. */
  readonly linkedBy: string | null;
}

/** Waits for an ADMIN, and an invited person for itself as well. */
export interface PendingRight extends Linked {
  readonly status: 'PENDING';
  /** Sessions in which the invited person may accept, the newest last; empty: not asked. */
  readonly sessionIds: readonly string[];
  /** Sessions in which an ADMIN may confirm, the newest last. */
  readonly adminSessionIds: readonly string[];
}

/** WITHDRAWN: kept, to distinguish a former right from none. */
export type Right = (Linked & { readonly status: 'ACTIVE' | 'WITHDRAWN' }) | PendingRight;

/** All rights to represent one organization, by civil id. */
export interface Representation {
  readonly rights: ReadonlyMap<string, Right>;
  /** Rights requested by relying parties; the person's current right stays until an ADMIN confirms. */
  readonly requests: ReadonlyMap<string, PendingRight>;
}

const initial: Representation = { rights: new Map(), requests: new Map() };

function evolve(state: Representation, event: RepresentationEvent): Representation {
  const { civilId } = event.data;
  const requested = state.requests.get(civilId);
  if (event.type === 'RightRequested') {
    const requests = new Map(state.requests).set(civilId, pending(requested, event.data));
    return { ...state, requests };
  }
  const right = evolveRight(state.rights.get(civilId), requested, event);
  const rights = right === undefined ? state.rights : new Map(state.rights).set(civilId, right);
  if (requested === undefined || !endsRequest.has(event.type)) return { ...state, rights };
  const requests = new Map(state.requests);
  requests.delete(civilId);
  return { rights, requests };
}

const endsRequest: ReadonlySet<RepresentationEvent['type']> = new Set([
  'RightGranted',
  'RightConfirmed',
  'RightWithdrawn',
]);

function evolveRight(
  right: Right | undefined,
  requested: PendingRight | undefined,
  event: Exclude<RepresentationEvent, RightRequested>,
): Right | undefined {
  switch (event.type) {
    case 'RightGranted':
      return { ...termsOf(event.data), status: 'ACTIVE' };
    case 'RightConfirmed':
      return (
        requested && {
          ...termsOf(requested),
          status: 'ACTIVE',
          validFrom: event.data.confirmedAt,
        }
      );
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

/** Sessions of another relying party's request count no longer. */
function pending(before: PendingRight | undefined, data: RightRequested['data']): PendingRight {
  const asked = before?.linkedBy === data.linkedBy ? before.adminSessionIds : [];
  return {
    ...termsOf(data),
    status: 'PENDING',
    sessionIds: [],
    adminSessionIds: withNewest(asked, data.sessionId),
  };
}

function invited(right: Right | undefined, data: SignerInvited['data']): PendingRight {
  const before = right?.status === 'PENDING' && right.linkedBy === data.linkedBy ? right : null;
  return {
    civilId: data.civilId,
    rightType: 'MANAGER',
    role: data.role,
    source: 'MANUAL',
    evidenceRef: null,
    linkedBy: data.linkedBy,
    validFrom: data.invitedAt,
    validTo: null,
    status: 'PENDING',
    sessionIds: withNewest(before?.sessionIds ?? [], data.sessionId),
    adminSessionIds: withNewest(before?.adminSessionIds ?? [], data.adminSessionId),
  };
}

function termsOf(right: Linked): Linked {
  const { civilId, rightType, role, source, evidenceRef, linkedBy, validFrom, validTo } = right;
  return { civilId, rightType, role, source, evidenceRef, linkedBy, validFrom, validTo };
}

/** Pending rights: an invitation, or one a relying party requested. */
export function pendingOf(
  { rights, requests }: Representation,
  civilId: string,
): PendingRight | undefined {
  const right = rights.get(civilId);
  return right?.status === 'PENDING' ? right : requests.get(civilId);
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

/** Civil ids of the administrators at `now` (ISO 8601), in order. */
export function adminsOf(state: Representation, now: string): readonly string[] {
  return [...state.rights.keys()].filter((civilId) => isAdmin(state, civilId, now)).sort();
}

/**
 * The person's right in force at `now` (ISO 8601).
 *
 * @throws Refusal REPRESENTATION_DENIED, REPRESENTATION_PENDING, REPRESENTATION_EXPIRED, REPRESENTATION_REVOKED
 */
export function expectRight(state: Representation, civilId: string, now: string): Right {
  const right = state.rights.get(civilId) ?? state.requests.get(civilId);
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

/** A request for a right; a session of its own asks an ADMIN, where there is one. */
interface Asked {
  /** Relying party that asks. */
  readonly linkedBy: string;
  readonly sessionId: string;
}

/** Confirmation of a pending right by an ADMIN, in a session of its own. */
interface Confirmation {
  readonly adminSessionId: string;
  /** Civil id of the ADMIN. */
  readonly confirmedBy: string;
}

/** Command that ends a right: a relying party's only one it linked; null: an operator's, any. */
interface Ending {
  readonly endedBy: string | null;
}

export type RepresentationCommand =
  | (Common & { readonly type: 'GrantRight'; readonly terms: RightTerms })
  | (Common &
      Asked & {
        readonly type: 'LinkAdmin';
        readonly terms: RightTerms;
        /** Earlier session that ended without a confirmation, replaced by this one; null: none. */
        readonly after: string | null;
      })
  | (Common & Confirmation & { readonly type: 'ConfirmRight' })
  | (Common &
      Asked & {
        readonly type: 'InviteSigner' | 'InviteSignerAgain';
        /** Civil id of the inviter. */
        readonly invitedBy: string;
        readonly role: string | null;
        readonly adminSessionId: string;
      })
  | (Common & Confirmation & { readonly type: 'ConfirmSigner'; readonly sessionId: string })
  | (Common &
      Ending & {
        readonly type: 'RemoveSigner';
        /** Civil id of the remover. */
        readonly removedBy: string;
      })
  | (Common & Ending & { readonly type: 'WithdrawRight' });

// Decisions

function decide(
  command: RepresentationCommand,
  state: Representation,
): readonly RepresentationEvent[] {
  const right = state.rights.get(command.civilId);
  switch (command.type) {
    case 'GrantRight':
      return grant(command, state, right);
    case 'LinkAdmin':
      return linkAdmin(command, state);
    case 'ConfirmRight':
      return confirmRight(command, state);
    case 'InviteSigner':
    case 'InviteSignerAgain':
      return invite(command, state, right);
    case 'ConfirmSigner':
      return confirm(command, state, right);
    case 'RemoveSigner':
      expectAdmin(state, command.removedBy, command.now);
      if (right?.status === 'ACTIVE' && right.rightType === 'ADMIN') {
        const detail = 'Administrators cannot be removed as signers. End the link of the person.';
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
    terms.rightType === 'ADMIN' &&
    isRightInForce({ ...terms, linkedBy: null, status: 'ACTIVE' }, now);
  if (!isStillAdmin) expectAnotherAdmin(state, terms.civilId, now);
  const data = { ...terms, register, linkedBy: null, grantedAt: now };
  return [{ type: 'RightGranted', data }];
}

/** Grants to the first ADMIN; where there is one, the right waits for a confirmation. */
function linkAdmin(
  command: Extract<RepresentationCommand, { type: 'LinkAdmin' }>,
  state: Representation,
): readonly RepresentationEvent[] {
  const { register, civilId, terms, linkedBy, sessionId, after, now } = command;
  // Another relying party's link, or an operator's grant, stays theirs.
  if (isAdmin(state, civilId, now)) return [];
  if (adminsOf(state, now).length === 0) {
    return [{ type: 'RightGranted', data: { ...terms, register, linkedBy, grantedAt: now } }];
  }
  const request = state.requests.get(civilId);
  if (request?.linkedBy === linkedBy && request.adminSessionIds.at(-1) !== after) return [];
  const data = { ...terms, register, linkedBy, sessionId, requestedAt: now };
  return [{ type: 'RightRequested', data }];
}

/** Ignores a request withdrawn, one answered in another session, and the answer of a former ADMIN. */
function confirmRight(
  command: Extract<RepresentationCommand, { type: 'ConfirmRight' }>,
  state: Representation,
): readonly RepresentationEvent[] {
  const { register, civilId, adminSessionId: sessionId, confirmedBy, now } = command;
  if (!isConfirmed(command, state, state.requests.get(civilId))) return [];
  const data = { register, civilId, sessionId, confirmedBy, confirmedAt: now };
  return [{ type: 'RightConfirmed', data }];
}

function isConfirmed(
  { civilId, adminSessionId, confirmedBy, now }: Common & Confirmation,
  state: Representation,
  right: Right | undefined,
): right is PendingRight {
  return (
    right?.status === 'PENDING' &&
    right.adminSessionIds.includes(adminSessionId) &&
    confirmedBy !== civilId &&
    isAdmin(state, confirmedBy, now)
  );
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
  const { register, civilId, invitedBy, linkedBy, sessionId, adminSessionId, now } = command;
  expectAdmin(state, invitedBy, now);
  // Not replaced before its start either: an administrator may have granted it.
  if (right?.status === 'ACTIVE' && (right.validTo === null || now < right.validTo)) {
    throw new Refusal('CONFLICT', { detail: 'The person already signs for the organization.' });
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
      data: {
        register,
        civilId,
        role,
        linkedBy,
        invitedBy,
        sessionId,
        adminSessionId,
        invitedAt: now,
      },
    },
  ];
}

/** Ignores an invitation withdrawn, answered in another session, or confirmed by a former ADMIN. */
function confirm(
  command: Extract<RepresentationCommand, { type: 'ConfirmSigner' }>,
  state: Representation,
  right: Right | undefined,
): readonly RepresentationEvent[] {
  const { register, civilId, sessionId, confirmedBy, now } = command;
  if (!isConfirmed(command, state, right) || !right.sessionIds.includes(sessionId)) return [];
  const data = { register, civilId, sessionId, confirmedBy, confirmedAt: now };
  return [{ type: 'SignerConfirmed', data }];
}

function withdraw(
  { register, civilId, endedBy, now }: Common & Ending,
  state: Representation,
  right: Right | undefined,
): readonly RepresentationEvent[] {
  const held = [right, state.requests.get(civilId)].filter(
    (each) => each !== undefined && each.status !== 'WITHDRAWN',
  );
  if (held.length === 0) return [];
  if (endedBy !== null && held.some((each) => each?.linkedBy !== endedBy)) {
    throw new Refusal('PERMISSION_DENIED', {
      detail:
        'This right was given by another relying party, by an operator, or by somebody unknown. Ask the operators of the ' +
        'service to end it.',
    });
  }
  expectAnotherAdmin(state, civilId, now);
  const wasConfirmed = right?.status === 'ACTIVE';
  return [{ type: 'RightWithdrawn', data: { register, civilId, wasConfirmed, withdrawnAt: now } }];
}

/** @throws Refusal NOT_ORG_ADMIN */
export function expectAdmin(state: Representation, civilId: string, now: string): void {
  if (!isAdmin(state, civilId, now)) throw new Refusal('NOT_ORG_ADMIN');
}

/** @throws Refusal LAST_ADMIN when this person is the only administrator */
function expectAnotherAdmin(state: Representation, civilId: string, now: string): void {
  const admins = adminsOf(state, now);
  if (admins.includes(civilId) && admins.length === 1) throw new Refusal('LAST_ADMIN');
}

/**
 * All rights to represent one organization, together because the last ADMIN must be kept. Stream
 * `representation-<register>`.
 */
export const representationDecider: Decider<
  Representation,
  RepresentationCommand,
  RepresentationEvent
> = { initial, evolve, decide };

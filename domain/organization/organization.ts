import { type Decider, unreachable } from '../shared/decider.ts';
import { Refusal } from '../shared/refusal.ts';
import type { OrganizationEvent, OrganizationRegistered, OrganizationStatus } from './events.ts';
import { canonicalLatinName } from './latinName.ts';

// State

interface Known {
  readonly register: string;
  readonly name: string;
  readonly nameLatin: string | null;
}

export type Organization =
  | { readonly status: 'NONE' }
  | (Known & { readonly status: 'PENDING' | 'VERIFIED' | 'ACTIVE' | 'REVOKED' })
  | (Known & { readonly status: 'SUSPENDED'; readonly before: 'VERIFIED' | 'ACTIVE' });

export type RegisteredOrganization = Exclude<Organization, { status: 'NONE' }>;

const initial: Organization = { status: 'NONE' };

function evolve(organization: Organization, event: OrganizationEvent): Organization {
  if (event.type === 'OrganizationRegistered') {
    const { register, name, nameLatin, status } = event.data;
    return { register, name, nameLatin, status };
  }
  if (organization.status === 'NONE') return organization;
  const { register, name, nameLatin } = organization;
  const known = { register, name, nameLatin };
  switch (event.type) {
    case 'OrganizationVerified':
      return { ...known, status: 'VERIFIED' };
    case 'OrganizationActivated':
      return { ...known, status: 'ACTIVE' };
    case 'OrganizationSuspended':
      return organization.status === 'VERIFIED' || organization.status === 'ACTIVE'
        ? { ...known, status: 'SUSPENDED', before: organization.status }
        : organization;
    case 'OrganizationRestored':
      return organization.status === 'SUSPENDED'
        ? { ...known, status: organization.before }
        : organization;
    case 'OrganizationRevoked':
      return { ...known, status: 'REVOKED' };
    case 'OrganizationRenamed':
      return { ...organization, nameLatin: event.data.nameLatin };
    default:
      return unreachable(event);
  }
}

// Commands

export interface Registration {
  /** Upper case. */
  readonly register: string;
  readonly name: string;
  readonly nameLatin: string | null;
  /** Whether it is vouched for: ACTIVE from the start. */
  readonly activate: boolean;
}

type StatusCommand =
  | 'VerifyOrganization'
  | 'ActivateOrganization'
  | 'SuspendOrganization'
  | 'RestoreOrganization'
  | 'RevokeOrganization';

export type OrganizationCommand =
  | {
      readonly type: 'RegisterOrganization';
      readonly registration: Registration;
      readonly now: string;
    }
  | { readonly type: StatusCommand; readonly now: string }
  | { readonly type: 'RenameOrganization'; readonly nameLatin: string; readonly now: string };

// Decisions

/** Longest name, characters. */
export const maxOrganizationName = 200;

function decide(
  command: OrganizationCommand,
  organization: Organization,
): readonly OrganizationEvent[] {
  const { now } = command;
  if (command.type === 'RegisterOrganization') {
    return register(command.registration, organization, now);
  }
  if (organization.status === 'NONE') throw new Refusal('ORG_NOT_FOUND');
  if (command.type === 'RenameOrganization') {
    return rename(command.nameLatin, organization, now);
  }
  return changeStatus(command.type, organization, now);
}

function register(
  { register: number, name, nameLatin, activate }: Registration,
  organization: Organization,
  now: string,
): readonly OrganizationRegistered[] {
  if (organization.status !== 'NONE') {
    if (organization.name === name) return [];
    throw new Refusal('CONFLICT', { detail: 'An organization has this register already.' });
  }
  if (name === '' || name.length > maxOrganizationName) {
    const detail = `1 to ${maxOrganizationName} characters.`;
    throw new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '/name', detail }] });
  }
  return [
    {
      type: 'OrganizationRegistered',
      data: {
        register: number,
        name,
        nameLatin: nameLatin === null ? null : canonicalLatinName(nameLatin),
        status: activate ? 'ACTIVE' : 'PENDING',
        registeredAt: now,
      },
    },
  ];
}

function rename(
  wanted: string,
  organization: RegisteredOrganization,
  now: string,
): readonly OrganizationEvent[] {
  const nameLatin = canonicalLatinName(wanted);
  if (organization.nameLatin === nameLatin) return [];
  if (organization.status === 'REVOKED') throw new Refusal('ORG_NOT_ACTIVE');
  const { register: number } = organization;
  return [{ type: 'OrganizationRenamed', data: { register: number, nameLatin, renamedAt: now } }];
}

/** What each command leads to, and from which states; in any other it is refused. */
const transitions = {
  VerifyOrganization: { from: ['PENDING'], done: ['VERIFIED', 'ACTIVE'] },
  ActivateOrganization: { from: ['VERIFIED'], done: ['ACTIVE'] },
  SuspendOrganization: { from: ['VERIFIED', 'ACTIVE'], done: ['SUSPENDED'] },
  RestoreOrganization: { from: ['SUSPENDED'], done: ['VERIFIED', 'ACTIVE'] },
  RevokeOrganization: { from: ['PENDING', 'VERIFIED', 'ACTIVE', 'SUSPENDED'], done: ['REVOKED'] },
} as const satisfies Readonly<
  Record<StatusCommand, Readonly<Record<'from' | 'done', readonly OrganizationStatus[]>>>
>;

function changeStatus(
  command: StatusCommand,
  { register: number, status }: RegisteredOrganization,
  now: string,
): readonly OrganizationEvent[] {
  const { from, done }: Readonly<Record<'from' | 'done', readonly OrganizationStatus[]>> =
    transitions[command];
  if (done.includes(status)) return [];
  if (!from.includes(status)) {
    throw new Refusal('CONFLICT', {
      detail: `The organization is ${status}; this needs ${from.join(' or ')}.`,
    });
  }
  return [changed(command, number, now)];
}

function changed(command: StatusCommand, number: string, now: string): OrganizationEvent {
  switch (command) {
    case 'VerifyOrganization':
      return { type: 'OrganizationVerified', data: { register: number, verifiedAt: now } };
    case 'ActivateOrganization':
      return { type: 'OrganizationActivated', data: { register: number, activatedAt: now } };
    case 'SuspendOrganization':
      return { type: 'OrganizationSuspended', data: { register: number, suspendedAt: now } };
    case 'RestoreOrganization':
      return { type: 'OrganizationRestored', data: { register: number, restoredAt: now } };
    case 'RevokeOrganization':
      return { type: 'OrganizationRevoked', data: { register: number, revokedAt: now } };
    default:
      return unreachable(command);
  }
}

/** The organization aggregate: PENDING → VERIFIED → ACTIVE ⇄ SUSPENDED → REVOKED. Stream `organization-<register>`. */
export const organizationDecider: Decider<Organization, OrganizationCommand, OrganizationEvent> = {
  initial,
  evolve,
  decide,
};

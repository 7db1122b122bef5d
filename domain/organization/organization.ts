import { type Decider, unreachable } from '../shared/decider.ts';
import { faultOfDisplayed } from '../shared/requestFields.ts';
import { faultOfSpaces } from '../shared/foldedName.ts';
import { Refusal } from '../shared/refusal.ts';
import type { OrganizationEvent, OrganizationRegistered, OrganizationStatus } from './events.ts';
import { canonicalLatinName } from './latinName.ts';
import { maxOrganizationName, type OrganizationSettings, settingsIn } from './settings.ts';

// State

interface Known extends OrganizationSettings {
  readonly register: string;
  /** ISO 8601. */
  readonly registeredAt: string;
  /** Time of the last change of the Latin name, ISO 8601; null: none. */
  readonly renamedAt: string | null;
}

export type Organization =
  | { readonly status: 'NONE' }
  | (Known & { readonly status: 'PENDING' | 'VERIFIED' | 'ACTIVE' | 'REVOKED' })
  | (Known & { readonly status: 'SUSPENDED'; readonly before: 'VERIFIED' | 'ACTIVE' });

export type RegisteredOrganization = Exclude<Organization, { status: 'NONE' }>;

const initial: Organization = { status: 'NONE' };

function evolve(organization: Organization, event: OrganizationEvent): Organization {
  if (event.type === 'OrganizationRegistered') {
    return { ...event.data, renamedAt: null };
  }
  return organization.status === 'NONE' ? organization : change(organization, event);
}

function change(
  organization: RegisteredOrganization,
  event: Exclude<OrganizationEvent, { type: 'OrganizationRegistered' }>,
): RegisteredOrganization {
  const { register, registeredAt, renamedAt } = organization;
  const known = { register, ...settingsIn(organization), registeredAt, renamedAt };
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
    case 'OrganizationNameChanged':
      return { ...organization, name: event.data.name };
    case 'OrganizationRenamed': {
      const { nameLatin, renamedAt: at } = event.data;
      return { ...organization, nameLatin, renamedAt: at };
    }
    default:
      return unreachable(event);
  }
}

// Commands

export interface Registration extends OrganizationSettings {
  /** Upper case. */
  readonly register: string;
  /** True when vouched for: ACTIVE from the start. */
  readonly activate: boolean;
}

/** Fields an operator may change. */
export interface OrganizationChanges {
  readonly name?: string;
  readonly status?: OrganizationStatus;
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
  | {
      readonly type: 'EditOrganization';
      /** Changed fields, applied together; others stay. */
      readonly changes: OrganizationChanges;
      readonly now: string;
    }
  | {
      readonly type: 'RenameOrganization';
      readonly nameLatin: string;
      /** Civil id of the ADMIN who confirmed this name. */
      readonly confirmedBy: string;
      /** Session in which the ADMIN confirmed. */
      readonly confirmedIn: string;
      /** ISO 8601. */
      readonly confirmedAt: string;
      readonly now: string;
    };

// Decisions

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
    return rename(command, organization);
  }
  if (command.type === 'EditOrganization') return edit(command.changes, organization, now);
  return changeStatus(command.type, organization, now);
}

export function registerTaken(): Refusal {
  return new Refusal('CONFLICT', { detail: 'Another organization already has this register.' });
}

function register(
  { register: number, activate, ...settings }: Registration,
  organization: Organization,
  now: string,
): readonly OrganizationRegistered[] {
  if (organization.status !== 'NONE') {
    if (organization.name === settings.name) return [];
    throw registerTaken();
  }
  expectOrganizationName(settings.name);
  const { nameLatin } = settings;
  return [
    {
      type: 'OrganizationRegistered',
      data: {
        register: number,
        ...settingsIn(settings),
        nameLatin: nameLatin === null ? null : canonicalLatinName(nameLatin),
        status: activate ? 'ACTIVE' : 'PENDING',
        registeredAt: now,
      },
    },
  ];
}

/**
 * @param pointer of the field, for the refusal
 * @throws Refusal INVALID_REQUEST for a name that is empty, too long, or displayed misleadingly
 */
export function expectOrganizationName(name: string, pointer = '/name'): void {
  const isInLimits = name !== '' && name.length <= maxOrganizationName;
  const detail = isInLimits
    ? (faultOfDisplayed(name, 'one line') ?? faultOfSpaces(name))
    : `1 to ${maxOrganizationName} characters; this has ${name.length}.`;
  if (detail === null) return;
  throw new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer, detail }] });
}

function edit(
  { name, status }: OrganizationChanges,
  organization: RegisteredOrganization,
  now: string,
): readonly OrganizationEvent[] {
  const named = name === undefined ? [] : changeName(name, organization, now);
  return status === undefined ? named : [...named, ...moveTo(status, organization, now)];
}

function changeName(
  name: string,
  organization: RegisteredOrganization,
  now: string,
): readonly OrganizationEvent[] {
  if (organization.name === name) return [];
  expectOrganizationName(name);
  if (organization.status === 'REVOKED') throw new Refusal('ORG_NOT_ACTIVE');
  const { register: number } = organization;
  return [{ type: 'OrganizationNameChanged', data: { register: number, name, changedAt: now } }];
}

function rename(
  command: Extract<OrganizationCommand, { type: 'RenameOrganization' }>,
  organization: RegisteredOrganization,
): readonly OrganizationEvent[] {
  const { confirmedBy, confirmedIn, confirmedAt, now } = command;
  const nameLatin = canonicalLatinName(command.nameLatin);
  if (organization.nameLatin === nameLatin) return [];
  if (organization.status === 'REVOKED') throw new Refusal('ORG_NOT_ACTIVE');
  const { register: number, renamedAt } = organization;
  // Without this an old confirmation would bring an old name back.
  if (renamedAt !== null && confirmedAt <= renamedAt) {
    const detail = 'The name was changed since the ADMIN confirmed. Ask again without sessionId.';
    throw new Refusal('CONFLICT', { detail });
  }
  const data = { register: number, nameLatin, confirmedBy, confirmedIn, renamedAt: now };
  return [{ type: 'OrganizationRenamed', data }];
}

interface Transition {
  readonly from: readonly OrganizationStatus[];
  /** Target status first, and statuses in which nothing is left to do. */
  readonly done: readonly [OrganizationStatus, ...OrganizationStatus[]];
}

/** Target and source statuses of each command; refused in any other. */
const transitions: Readonly<Record<StatusCommand, Transition>> = {
  VerifyOrganization: { from: ['PENDING'], done: ['VERIFIED', 'ACTIVE'] },
  ActivateOrganization: { from: ['VERIFIED'], done: ['ACTIVE'] },
  SuspendOrganization: { from: ['VERIFIED', 'ACTIVE'], done: ['SUSPENDED'] },
  RestoreOrganization: { from: ['SUSPENDED'], done: ['VERIFIED', 'ACTIVE'] },
  RevokeOrganization: { from: ['PENDING', 'VERIFIED', 'ACTIVE', 'SUSPENDED'], done: ['REVOKED'] },
};

const statusCommands = Object.entries(transitions) as readonly (readonly [
  StatusCommand,
  Transition,
])[];

function changeStatus(
  command: StatusCommand,
  { register: number, status }: RegisteredOrganization,
  now: string,
): readonly OrganizationEvent[] {
  const { from, done } = transitions[command];
  if (done.includes(status)) return [];
  if (!from.includes(status)) {
    throw new Refusal('CONFLICT', {
      detail: `The organization is ${status}; this needs ${from.join(' or ')}.`,
    });
  }
  return [changed(command, number, now)];
}

/** Possible next statuses, with their commands. */
export function nextStatuses(
  organization: RegisteredOrganization,
): ReadonlyMap<OrganizationStatus, StatusCommand> {
  const next = new Map<OrganizationStatus, StatusCommand>();
  for (const [command, { from, done }] of statusCommands) {
    if (!from.includes(organization.status)) continue;
    next.set(
      organization.status === 'SUSPENDED' && command === 'RestoreOrganization'
        ? organization.before
        : done[0],
      command,
    );
  }
  return next;
}

function moveTo(
  wanted: OrganizationStatus,
  organization: RegisteredOrganization,
  now: string,
): readonly OrganizationEvent[] {
  const { status, register: number } = organization;
  if (status === wanted) return [];
  const next = nextStatuses(organization);
  const command = next.get(wanted);
  if (command !== undefined) return [changed(command, number, now)];
  const allowed = [...next.keys()].join(' or ');
  throw new Refusal('CONFLICT', {
    detail: `The organization is ${status}; it can ${allowed === '' ? 'not change any more' : `become ${allowed}`}.`,
  });
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

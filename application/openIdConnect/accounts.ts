import type { Identity } from '../../domain/citizen/events.ts';
import { organizationEtsi } from '../../domain/shared/etsi.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import type { Standing, StandingOf } from '../organization/standing.ts';
import type { Clock } from '../ports/clock.ts';
import type { CitizenFacts, DeviceFacts } from '../ports/facts.ts';
import { isInForce } from '../session/sessionOwner.ts';

/** Who is logged in: a citizen, for themselves or for an organization. */
export interface AccountKey {
  readonly civilId: string;
  /** Null: for nobody else. */
  readonly register: string | null;
}

/** One word for an account; the provider keeps it with its sessions and tokens. */
export function accountIdOf({ civilId, register }: AccountKey): string {
  return register === null ? civilId : `${civilId}/${register}`;
}

export function readAccountId(accountId: string): AccountKey {
  const [civilId = '', register = null] = accountId.split('/');
  return { civilId, register };
}

/** An account that may be used now. */
export interface Account extends AccountKey {
  readonly identity: Identity;
  /** By what right the citizen acts for the organization; null: for nobody else. */
  readonly standing: Standing | null;
}

export interface AccountDependencies {
  readonly facts: CitizenFacts & DeviceFacts;
  readonly standingOf: StandingOf;
  readonly clock: Clock;
}

/**
 * The account, as long as it may be used: the citizen is not forgotten and has a certificate to log in with in force,
 * and the right to represent the organization stands. Null otherwise.
 */
export type FindAccount = (accountId: string) => Promise<Account | null>;

export function createAccounts({ facts, standingOf, clock }: AccountDependencies): FindAccount {
  async function standing(register: string, civilId: string): Promise<Standing | null> {
    try {
      return await standingOf(register, civilId, clock.now());
    } catch (error) {
      if (isRefusal(error)) return null;
      throw error;
    }
  }

  return async (accountId) => {
    const { civilId, register } = readAccountId(accountId);
    const [citizen, devices] = await Promise.all([
      facts.citizen({ type: 'civilId', civilId }),
      facts.activeDevicesOf(civilId),
    ]);
    const now = clock.now().toISOString();
    const isUsable = devices.some(({ authentication }) => isInForce(authentication, now));
    if (citizen === null || !isUsable) return null;
    const account = { civilId, register, identity: citizen.identity };
    if (register === null) return { ...account, standing: null };
    const stands = await standing(register, civilId);
    return stands === null ? null : { ...account, standing: stands };
  };
}

const genders = { M: 'male', F: 'female', X: 'other' } as const;

/** What is told of an account, by claim; which of them a client gets is a matter of scopes (OpenID Connect Core §5.1). */
export function claimsOf({ identity, standing }: Account): Readonly<Record<string, unknown>> {
  const { givenName, surname, birthDate, gender, geId } = identity;
  return {
    // The father's name first, as names are read in Mongolia and stand in certificates.
    name: `${surname} ${givenName}`.trim(),
    given_name: givenName,
    family_name: surname,
    birthdate: birthDate,
    gender: genders[gender],
    ...(geId !== null && { ge_id: geId }),
    ...(standing !== null && organizationClaims(standing)),
  };
}

function organizationClaims({ organization, right }: Standing) {
  return {
    org_id: organizationEtsi(organization.register),
    org_name: organization.name,
    org_right: right.rightType,
    ...(right.role !== null && { org_role: right.role }),
  };
}

import type { Identity } from '../../domain/citizen/events.ts';
import { organizationEtsi } from '../../domain/shared/etsi.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import type {
  RepresentationRight,
  ExpectRepresentation,
} from '../organization/expectRepresentation.ts';
import type { Clock } from '../ports/clock.ts';
import type { CitizenReferenceData, DeviceReferenceData } from '../ports/referenceData.ts';
import { isInForce } from '../session/sessions.ts';

/** A logged-in citizen, for themselves or for an organization. */
export interface AccountKey {
  readonly civilId: string;
  /** Null: no organization. */
  readonly register: string | null;
}

/** Account id in the provider's sessions and tokens. */
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
  /** Right by which the citizen acts for the organization; null: no organization. */
  readonly representation: RepresentationRight | null;
}

export interface AccountDependencies {
  readonly referenceData: CitizenReferenceData & DeviceReferenceData;
  readonly expectRepresentation: ExpectRepresentation;
  readonly clock: Clock;
}

/**
 * Finds a usable account: the citizen is not forgotten and has a valid authentication certificate, and the right to
 * represent the organization is in force. Null otherwise.
 */
export type FindAccount = (accountId: string) => Promise<Account | null>;

export function createAccounts({
  referenceData,
  expectRepresentation,
  clock,
}: AccountDependencies): FindAccount {
  async function representation(
    register: string,
    civilId: string,
  ): Promise<RepresentationRight | null> {
    try {
      return await expectRepresentation(register, civilId, clock.now());
    } catch (error) {
      if (isRefusal(error)) return null;
      throw error;
    }
  }

  return async (accountId) => {
    const { civilId, register } = readAccountId(accountId);
    const [citizen, devices] = await Promise.all([
      referenceData.citizen({ type: 'civilId', civilId }),
      referenceData.activeDevicesOf(civilId),
    ]);
    const now = clock.now().toISOString();
    const isUsable = devices.some(({ authentication }) => isInForce(authentication, now));
    if (citizen === null || !isUsable) return null;
    const account = { civilId, register, identity: citizen.identity };
    if (register === null) return { ...account, representation: null };
    const found = await representation(register, civilId);
    return found === null ? null : { ...account, representation: found };
  };
}

const genders = { M: 'male', F: 'female', X: 'other' } as const;

/** All claims of an account; scopes decide which a client receives (OpenID Connect Core §5.1). */
export function claimsOf({ identity, representation }: Account): Readonly<Record<string, unknown>> {
  const { givenName, surname, birthDate, gender, geId } = identity;
  return {
    // Father's name first, as is customary in Mongolia and in certificates.
    name: `${surname} ${givenName}`.trim(),
    given_name: givenName,
    family_name: surname,
    birthdate: birthDate,
    gender: genders[gender],
    ...(geId !== null && { ge_id: geId }),
    ...(representation !== null && organizationClaims(representation)),
  };
}

function organizationClaims({ organization, right }: RepresentationRight) {
  return {
    org_id: organizationEtsi(organization.register),
    org_name: organization.name,
    org_right: right.rightType,
    ...(right.role !== null && { org_role: right.role }),
  };
}

import type { RegisteredOrganization } from '../../domain/organization/organization.ts';
import { expectRight, type Right } from '../../domain/representation/representation.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { Organizations, Representations } from './organizations.ts';

/** Right by which a person acts for an organization at one moment. */
export interface RepresentationRight {
  readonly organization: RegisteredOrganization;
  readonly right: Right;
}

/**
 * Checks a person's right to represent an organization at `now`, from the log: a withdrawal applies at once.
 *
 * @param register upper case
 * @throws Refusal ORG_NOT_FOUND, ORG_NOT_ACTIVE, REPRESENTATION_DENIED, REPRESENTATION_PENDING, REPRESENTATION_EXPIRED,
 * REPRESENTATION_REVOKED
 */
export type ExpectRepresentation = (
  register: string,
  civilId: string,
  now: Date,
) => Promise<RepresentationRight>;

export function createExpectRepresentation({
  organizations,
  representations,
}: {
  readonly organizations: Pick<Organizations, 'load'>;
  readonly representations: Pick<Representations, 'load'>;
}): ExpectRepresentation {
  return async (register, civilId, now) => {
    const [{ state: organization }, { state: representation }] = await Promise.all([
      organizations.load(register),
      representations.load(register),
    ]);
    if (organization.status === 'NONE') throw new Refusal('ORG_NOT_FOUND');
    if (organization.status !== 'ACTIVE') throw new Refusal('ORG_NOT_ACTIVE');
    return { organization, right: expectRight(representation, civilId, now.toISOString()) };
  };
}

import type { RightWish } from '../../../application/organization/administration.ts';
import type { Registration } from '../../../domain/organization/organization.ts';
import {
  initialRelyingPartySettings,
  type Permission,
  type RelyingPartySettings,
} from '../../../domain/relyingParty/settings.ts';

/** Settings of a relying party that may do this, and that nothing else is said about. */
export function aParty(
  name: string,
  permissions: readonly Permission[],
  changes: Partial<RelyingPartySettings> = {},
): RelyingPartySettings {
  return {
    ...initialRelyingPartySettings,
    name,
    permissions: [...permissions],
    ...changes,
  };
}

/** An organization that is ACTIVE from the start. */
export function anOrganization(
  register: string,
  name: string,
  nameLatin: string | null = null,
): Registration {
  return { register, name, nameLatin, activate: true };
}

/** A right given by hand, for ever. */
export function aRight(rightType: RightWish['rightType'], role: string | null = null): RightWish {
  return { rightType, role, source: 'MANUAL', evidenceRef: null, validTo: null };
}

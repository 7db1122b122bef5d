import type { DomainEvent } from '../shared/decider.ts';
import { FORGOTTEN, type PersonalData } from '../shared/personalData.ts';

// Storage format: see domain/session/events.ts.

/** A citizen's identity as the civil registry states it. */
export interface Identity {
  /** Given name, Cyrillic; `firstName` on the wire. */
  readonly givenName: string;
  /** Father's name, Cyrillic; `lastName` on the wire; goes into the certificate subject as surname. */
  readonly surname: string;
  /** Clan name; not in the certificate. */
  readonly familyName: string;
  readonly givenNameLatin: string;
  readonly surnameLatin: string;
  /** Lower case. */
  readonly registrationNumber: string;
  /** `YYYY-MM-DD`. */
  readonly birthDate: string;
  readonly gender: 'M' | 'F' | 'X';
  /** The citizen's number in the core registry; null when none. */
  readonly geId: number | null;
}

export type IdentityVerificationMethod = 'dan' | 'gsign' | 'passport' | 'citizenCard' | 'operator';

/** The person was identified and holds a one-time token to enrol a phone with. */
export type IdentityVerified = DomainEvent<
  'IdentityVerified',
  {
    readonly civilId: string;
    readonly method: IdentityVerificationMethod;
    readonly identity: Identity;
    /** SHA-256 of the one-time enrolment token, lower-case hexadecimal. */
    readonly enrolmentTokenHash: string;
    readonly verifiedAt: string;
    readonly tokenExpiresAt: string;
  }
>;

export type CitizenEnrolled = DomainEvent<
  'CitizenEnrolled',
  {
    readonly civilId: string;
    readonly identity: Identity;
    readonly enrolmentTokenHash: string;
    readonly documentNumber: string;
    readonly enrolledAt: string;
  }
>;

/** A later enrolment (a new phone) found other identity facts than those known. */
export type IdentityUpdated = DomainEvent<
  'IdentityUpdated',
  { readonly civilId: string; readonly identity: Identity; readonly updatedAt: string }
>;

/** A further phone of an enrolled citizen used up its token. */
export type EnrolmentTokenUsed = DomainEvent<
  'EnrolmentTokenUsed',
  {
    readonly civilId: string;
    readonly enrolmentTokenHash: string;
    readonly documentNumber: string;
    readonly usedAt: string;
  }
>;

export type CitizenEvent =
  IdentityVerified | CitizenEnrolled | IdentityUpdated | EnrolmentTokenUsed;

/** What an identity reads as once the person is forgotten. */
export const forgottenIdentity: Identity = {
  givenName: FORGOTTEN,
  surname: FORGOTTEN,
  familyName: FORGOTTEN,
  givenNameLatin: FORGOTTEN,
  surnameLatin: FORGOTTEN,
  registrationNumber: FORGOTTEN,
  birthDate: FORGOTTEN,
  gender: 'X',
  geId: null,
};

const subject = (data: { readonly civilId: string }) => data.civilId;
const identityIsPersonal = { subject, placeholders: { identity: forgottenIdentity } };

export const citizenPersonalData: PersonalData<CitizenEvent> = {
  IdentityVerified: identityIsPersonal,
  CitizenEnrolled: identityIsPersonal,
  IdentityUpdated: identityIsPersonal,
};

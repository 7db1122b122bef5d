import { civilIdOf, personOf } from '../shared/etsi.ts';
import { certificateLevels } from '../shared/certificateLevel.ts';
import { defineEvents, event, type EventOf } from '../shared/defineEvents.ts';
import { type Fields, nullable, number, object, oneOf, text } from '../shared/eventFields.ts';
import { FORGOTTEN } from '../shared/personalData.ts';

// Storage format: see domain/shared/defineEvents.ts.

const identity = {
  /** Given name, Cyrillic; `firstName` on the wire. */
  givenName: text,
  /** Father's name, Cyrillic; `lastName` on the wire; goes into the certificate subject as surname. */
  surname: text,
  /** Clan name; not in the certificate. */
  familyName: text,
  givenNameLatin: text,
  surnameLatin: text,
  /** Lower case. */
  registrationNumber: text,
  /** `YYYY-MM-DD`. */
  birthDate: text,
  gender: oneOf(['M', 'F', 'X']),
  /** The citizen's number in the core registry; null when none. */
  geId: nullable(number),
};

/** A citizen's identity as the civil registry states it. */
export type Identity = Fields<typeof identity>;

const identityVerificationMethods = [
  'dan',
  'gsign',
  'passport',
  'citizenCard',
  'operator',
] as const;

export type IdentityVerificationMethod = (typeof identityVerificationMethods)[number];

/** Placeholder of a forgotten person's identity. */
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

const identityIsPersonal = { subject: civilIdOf, placeholders: { identity: forgottenIdentity } };

export const citizenEvents = defineEvents('citizen', {
  /** The person was identified and holds a one-time token to enrol a phone with. */
  IdentityVerified: event({
    version: 2,
    data: {
      civilId: text,
      method: oneOf(identityVerificationMethods),
      identity: object(identity),
      /** Highest level of certificates this verification suffices for. */
      highestLevel: oneOf(certificateLevels),
      /** SHA-256 of the one-time enrolment token, lower-case hexadecimal. */
      enrolmentTokenHash: text,
      verifiedAt: text,
      tokenExpiresAt: text,
    },
    personal: identityIsPersonal,
    audit: {
      type: 'IDENTITY_VERIFY',
      subject: personOf,
      civilId: civilIdOf,
      details: ({ method, highestLevel }) => ({ method, highestLevel }),
    },
  }),

  CitizenEnrolled: event({
    data: {
      civilId: text,
      identity: object(identity),
      enrolmentTokenHash: text,
      documentNumber: text,
      enrolledAt: text,
    },
    personal: identityIsPersonal,
    audit: {
      type: 'CITIZEN_ENROL',
      subject: personOf,
      civilId: civilIdOf,
      details: ({ documentNumber }) => ({ documentNumber }),
    },
  }),

  /** A later enrolment (a new phone) provided identity facts that differ from the recorded ones. */
  IdentityUpdated: event({
    data: {
      civilId: text,
      identity: object(identity),
      updatedAt: text,
    },
    personal: identityIsPersonal,
    audit: { type: 'IDENTITY_UPDATE', subject: personOf, civilId: civilIdOf },
  }),

  /** A further phone of an enrolled citizen used up its token. */
  EnrolmentTokenUsed: event({
    data: {
      civilId: text,
      enrolmentTokenHash: text,
      documentNumber: text,
      usedAt: text,
    },
    audit: {
      type: 'ENROLMENT_TOKEN_USE',
      subject: personOf,
      civilId: civilIdOf,
      details: ({ documentNumber }) => ({ documentNumber }),
    },
  }),

  /** The citizen disowned a new phone on an older one: until then no other is enrolled. */
  EnrolmentsBlocked: event({
    data: {
      civilId: text,
      /** Of the phone that was disowned. */
      documentNumber: text,
      /** Document number of the phone it was said on. */
      blockedBy: text,
      until: text,
      blockedAt: text,
    },
    audit: {
      type: 'ENROLMENT_BLOCK',
      subject: personOf,
      civilId: civilIdOf,
      details: ({ documentNumber, blockedBy, until }) => ({ documentNumber, blockedBy, until }),
    },
  }),

  /** The citizen took "It was not me" back: the relying party may send requests again. */
  PushesAllowed: event({
    data: {
      civilId: text,
      relyingPartyId: text,
      allowedAt: text,
    },
    audit: {
      type: 'PUSH_ALLOW',
      subject: personOf,
      civilId: civilIdOf,
      details: ({ relyingPartyId }) => ({ relyingPartyId }),
    },
  }),
});

export type CitizenEvent = EventOf<typeof citizenEvents>;
export type CitizenEnrolled = EventOf<typeof citizenEvents, 'CitizenEnrolled'>;

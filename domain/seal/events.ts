import { organizationOf } from '../shared/etsi.ts';
import { defineEvents, event, type EventOf } from '../shared/defineEvents.ts';
import { boolean, nullable, oneOf, text } from '../shared/eventFields.ts';
import { sealLevels } from '../shared/certificateLevel.ts';
import { hashTypes } from '../shared/digest.ts';

// Storage format: see domain/shared/defineEvents.ts.

const sealedContents = ['DIGEST', 'PDF'] as const;

/** Sealed content: a digest sent by the caller, or a PDF that now carries the seal. */
export type SealedContent = (typeof sealedContents)[number];

const sealDenials = ['ORG_NOT_ACTIVE', 'CERTIFICATE_NOT_ACTIVE'] as const;

/** Reason for refusing a seal. */
export type SealDenial = (typeof sealDenials)[number];

export const sealEvents = defineEvents('seal', {
  /**
   * A seal was made, in the stream `seal-<register>`, appended at any revision. Valid when the organization was ACTIVE
   * and the certificate in force at its position; otherwise it was not returned to the caller, and a {@link SealDenied}
   * of the same `sealId` follows.
   */
  DocumentSealed: event({
    data: {
      sealId: text,
      register: text,
      relyingPartyId: text,
      content: oneOf(sealedContents),
      /** Signed digest: for a PDF that of the signed attributes; base64. */
      digest: text,
      hashType: oneOf(hashTypes),
      /** DER sequence of r and s, base64. */
      signature: text,
      /** Lower-case hexadecimal. */
      certificateSerial: text,
      certificateLevel: oneOf(sealLevels),
      /** SHA-256 of the sealed PDF, lower-case hexadecimal; null: only a digest was sealed. */
      sealedDocument: nullable(text),
      sealedAt: text,
    },
    audit: {
      type: 'ORG_SEAL',
      subject: organizationOf,
      details: ({ sealId, content, certificateSerial }) => ({ sealId, content, certificateSerial }),
    },
  }),

  /** A seal was refused, also one already in the log. A fact of the stream `seal-<register>`. */
  SealDenied: event({
    version: 2,
    data: {
      sealId: text,
      register: text,
      relyingPartyId: text,
      content: oneOf(sealedContents),
      reason: oneOf(sealDenials),
      /**
       * True when the DocumentSealed of this `sealId` precedes and is invalid: the organization or certificate had
       * ended before it.
       */
      takesBack: boolean,
      deniedAt: text,
    },
    audit: {
      type: 'ORG_SEAL',
      isDenied: true,
      subject: organizationOf,
      details: ({ sealId, content, reason, takesBack }) => ({
        sealId,
        content,
        code: reason,
        ...(takesBack && { takesBack }),
      }),
    },
  }),
});

export const sealCertificateEvents = defineEvents('sealCertificate', {
  /** Intent to issue a seal certificate: after a crash the same one is completed. */
  SealCertificateRequested: event({
    version: 2,
    data: {
      register: text,
      /** Lower-case hexadecimal. */
      serial: text,
      level: oneOf(sealLevels),
      /** Label of the private key in the vault of that level. */
      keyLabel: text,
      /** Session in which an ADMIN of the organization confirmed a relying party's request; null: operators issue. */
      confirmedIn: nullable(text),
      requestedAt: text,
    },
    audit: {
      type: 'SEAL_CERT_REQUEST',
      capability: 'org:write',
      subject: organizationOf,
      details: ({ serial, level, confirmedIn }) => ({
        serial,
        level,
        ...(confirmedIn !== null && { sessionId: confirmedIn }),
      }),
    },
  }),

  /** The organization seals with this certificate from now on. */
  SealCertificateIssued: event({
    data: {
      register: text,
      serial: text,
      level: oneOf(sealLevels),
      keyLabel: text,
      /** Serial of the certificate whose place it takes. */
      supersedes: nullable(text),
      issuedAt: text,
    },
    audit: {
      type: 'SEAL_CERT_ISSUE',
      capability: 'org:write',
      subject: organizationOf,
      details: ({ serial, level }) => ({ serial, level }),
    },
  }),
});

export type SealEvent = EventOf<typeof sealEvents>;
export type SealCertificateEvent = EventOf<typeof sealCertificateEvents>;
export type DocumentSealed = EventOf<typeof sealEvents, 'DocumentSealed'>;
export type SealCertificateIssued = EventOf<typeof sealCertificateEvents, 'SealCertificateIssued'>;
export type SealCertificateRequested = EventOf<
  typeof sealCertificateEvents,
  'SealCertificateRequested'
>;

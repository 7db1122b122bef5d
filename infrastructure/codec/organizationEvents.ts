import { z } from 'zod';
import { rightSources, rightTypes } from '../../domain/representation/events.ts';
import { optionalText, text } from './eventParts.ts';

/** The catalog's rows of organizations and of the rights to represent them. */
export const organizationEvents = {
  OrganizationRegistered: {
    version: 1,
    shape: {
      register: text,
      name: text,
      nameLatin: optionalText,
      status: z.enum(['PENDING', 'ACTIVE']),
      registeredAt: text,
    },
  },
  OrganizationVerified: { version: 1, shape: { register: text, verifiedAt: text } },
  OrganizationActivated: { version: 1, shape: { register: text, activatedAt: text } },
  OrganizationSuspended: { version: 1, shape: { register: text, suspendedAt: text } },
  OrganizationRestored: { version: 1, shape: { register: text, restoredAt: text } },
  OrganizationRevoked: { version: 1, shape: { register: text, revokedAt: text } },
  OrganizationRenamed: { version: 1, shape: { register: text, nameLatin: text, renamedAt: text } },
  OrganizationNameChanged: { version: 1, shape: { register: text, name: text, changedAt: text } },
  RightGranted: {
    version: 1,
    shape: {
      register: text,
      civilId: text,
      rightType: z.enum(rightTypes),
      role: optionalText,
      source: z.enum(rightSources),
      evidenceRef: optionalText,
      validFrom: text,
      validTo: optionalText,
      grantedAt: text,
    },
  },
  SignerInvited: {
    version: 1,
    shape: {
      register: text,
      civilId: text,
      role: optionalText,
      invitedBy: text,
      sessionId: text,
      invitedAt: text,
    },
  },
  SignerConfirmed: {
    version: 1,
    shape: { register: text, civilId: text, sessionId: text, confirmedAt: text },
  },
  RightWithdrawn: { version: 1, shape: { register: text, civilId: text, withdrawnAt: text } },
} as const;

import { z } from 'zod';
import { permissions } from '../../domain/relyingParty/events.ts';
import { optionalText, text } from './eventParts.ts';

const relyingPartySettings = {
  name: text,
  callbackHosts: z.array(text),
  ipAllowlist: z.array(text),
  clientCertificates: z.array(text),
  permissions: z.array(z.enum(permissions)),
  firstParty: z.boolean(),
  requestsPerMinute: z.number().nullable(),
  smartIdStatuses: z.boolean(),
};

/** The catalog's rows of relying parties and their subsystems. */
export const relyingPartyEvents = {
  RelyingPartyRegistered: {
    version: 2,
    shape: {
      ...relyingPartySettings,
      relyingPartyId: text,
      secretHash: text,
      registeredAt: text,
    },
  },
  RelyingPartyEdited: {
    version: 1,
    shape: { ...relyingPartySettings, relyingPartyId: text, editedAt: text },
  },
  SecretRotated: {
    version: 1,
    shape: { relyingPartyId: text, secretHash: text, rotatedAt: text },
  },
  RelyingPartyDeactivated: { version: 1, shape: { relyingPartyId: text, deactivatedAt: text } },
  RelyingPartyReactivated: { version: 1, shape: { relyingPartyId: text, reactivatedAt: text } },
  SubsystemSeen: { version: 1, shape: { relyingPartyId: text, subsystem: text, seenAt: text } },
  SubsystemDeactivated: {
    version: 1,
    shape: { relyingPartyId: text, subsystem: text, deactivatedAt: text },
  },
  SubsystemActivated: {
    version: 1,
    shape: { relyingPartyId: text, subsystem: text, activatedAt: text },
  },
  SubsystemRenamed: {
    version: 1,
    shape: {
      relyingPartyId: text,
      subsystem: text,
      displayName: optionalText,
      renamedAt: text,
    },
  },
  SubsystemMerged: {
    version: 1,
    shape: { relyingPartyId: text, subsystem: text, into: text, mergedAt: text },
  },
} as const;

import { defineEvents, event, type EventOf } from '../shared/defineEvents.ts';
import { boolean, list, nullable, text } from '../shared/eventFields.ts';
import { organizationEtsi } from '../shared/etsi.ts';
import { partOf } from '../shared/settings.ts';
import { relyingPartySettings } from './settings.ts';

// Storage format: see domain/shared/defineEvents.ts.

const settings = partOf(relyingPartySettings, 'event');

export const relyingPartyEvents = defineEvents('relyingParty', {
  RelyingPartyRegistered: event({
    version: 5,
    data: {
      ...settings,
      /** True for those registered before names were compared: see RelyingPartyNamesSet. */
      otherNames: boolean,
      /** Lower-case UUID: `relyingPartyUUID` on the wire. */
      relyingPartyId: text,
      /** SHA-256 of the API secret, lower-case hexadecimal. */
      secretHash: text,
      registeredAt: text,
    },
    audit: {
      type: 'RP_REGISTER',
      capability: 'rp:write',
      details: ({ name, permissions, firstParty }) => ({ name, permissions, firstParty }),
    },
  }),

  SecretRotated: event({
    data: {
      relyingPartyId: text,
      secretHash: text,
      rotatedAt: text,
    },
    audit: { type: 'RP_SECRET_ROTATE', capability: 'rp:write' },
  }),

  /** Offer of a new secret by a hand-over link, for the first use of it; the present secret is valid until then. */
  SecretOffered: event({
    data: {
      relyingPartyId: text,
      tokenHash: text,
      until: text,
      offeredAt: text,
    },
    audit: { type: 'RP_SECRET_OFFER', capability: 'rp:write', details: ({ until }) => ({ until }) },
  }),

  RelyingPartyDeactivated: event({
    data: {
      relyingPartyId: text,
      deactivatedAt: text,
    },
    audit: { type: 'RP_DEACTIVATE', capability: 'rp:write' },
  }),

  /** From now on its secret opens again what it may. */
  RelyingPartyReactivated: event({
    data: {
      relyingPartyId: text,
      reactivatedAt: text,
    },
    audit: { type: 'RP_REACTIVATE', capability: 'rp:write' },
  }),

  /** The settings from now on, all of them. */
  RelyingPartyEdited: event({
    version: 3,
    data: {
      ...settings,
      relyingPartyId: text,
      editedAt: text,
    },
    audit: {
      type: 'RP_EDIT',
      capability: 'rp:write',
      details: ({ name, permissions, firstParty }) => ({ name, permissions, firstParty }),
    },
  }),

  /** The names it may ask citizens under from now on, beside the registered one. */
  RelyingPartyNamesSet: event({
    data: {
      relyingPartyId: text,
      aliases: list(text),
      /** Any other name is admitted, and shown after the registered one. */
      otherNames: boolean,
      setAt: text,
    },
    audit: {
      type: 'RP_NAMES_SET',
      capability: 'rp:write',
      details: ({ aliases, otherNames }) => ({ aliases, otherNames }),
    },
  }),

  /** From now on it seals and asks for seal certificates for this organization. */
  SealingAllowed: event({
    data: {
      relyingPartyId: text,
      register: text,
      allowedAt: text,
    },
    audit: {
      type: 'RP_SEAL_ALLOW',
      capability: 'rp:write',
      details: ({ register }) => ({ organization: organizationEtsi(register) }),
    },
  }),

  /** It seals for this organization no more. */
  SealingWithdrawn: event({
    data: {
      relyingPartyId: text,
      register: text,
      withdrawnAt: text,
    },
    audit: {
      type: 'RP_SEAL_WITHDRAW',
      capability: 'rp:write',
      details: ({ register }) => ({ organization: organizationEtsi(register) }),
    },
  }),

  /** A session named a subsystem not seen before (`rp_app`): it registers itself. */
  SubsystemSeen: event({
    data: {
      relyingPartyId: text,
      subsystem: text,
      seenAt: text,
    },
    audit: { type: 'RP_SUBSYSTEM_ADD', details: ({ subsystem }) => ({ subsystem }) },
  }),

  /** Sessions naming the subsystem are refused from now on. */
  SubsystemDeactivated: event({
    data: {
      relyingPartyId: text,
      subsystem: text,
      deactivatedAt: text,
    },
    audit: {
      type: 'RP_SUBSYSTEM_DEACTIVATE',
      capability: 'rp:write',
      details: ({ subsystem }) => ({ subsystem }),
    },
  }),

  SubsystemActivated: event({
    data: {
      relyingPartyId: text,
      subsystem: text,
      activatedAt: text,
    },
    audit: {
      type: 'RP_SUBSYSTEM_ACTIVATE',
      capability: 'rp:write',
      details: ({ subsystem }) => ({ subsystem }),
    },
  }),

  SubsystemRenamed: event({
    data: {
      relyingPartyId: text,
      subsystem: text,
      /** Display name set by operators; null: the name in sessions. */
      displayName: nullable(text),
      renamedAt: text,
    },
    audit: {
      type: 'RP_SUBSYSTEM_RENAME',
      capability: 'rp:write',
      details: ({ subsystem, displayName }) => ({ subsystem, displayName }),
    },
  }),

  /** Sessions naming the subsystem count for another from now on, for good. */
  SubsystemMerged: event({
    data: {
      relyingPartyId: text,
      subsystem: text,
      into: text,
      mergedAt: text,
    },
    audit: {
      type: 'RP_SUBSYSTEM_MERGE',
      capability: 'rp:write',
      details: ({ subsystem, into }) => ({ subsystem, into }),
    },
  }),
});

export type RelyingPartyEvent = EventOf<typeof relyingPartyEvents>;
export type RelyingPartyRegistered = EventOf<typeof relyingPartyEvents, 'RelyingPartyRegistered'>;
export type SubsystemSeen = EventOf<typeof relyingPartyEvents, 'SubsystemSeen'>;

/** Changes of the organizations it may seal for. */
export type SealingEvent = EventOf<
  typeof relyingPartyEvents,
  'SealingAllowed' | 'SealingWithdrawn'
>;

/** Changes of a subsystem by operators. */
export type SubsystemEvent = EventOf<
  typeof relyingPartyEvents,
  'SubsystemDeactivated' | 'SubsystemActivated' | 'SubsystemRenamed' | 'SubsystemMerged'
>;

import { defineEvents, event, type EventOf } from '../shared/defineEvents.ts';
import { nullable, number, text } from '../shared/eventFields.ts';

// Storage format: see domain/shared/defineEvents.ts.

/** One stream: whose log this is. It is copied with the log, and so tells it from every other. */
export const logIdentityEvents = defineEvents('log', {
  /** The log belongs to this installation from here on. The first event of a new installation's log. */
  LogEstablished: event({
    data: {
      /** UUID. */
      installationId: text,
      /** Number of logs the installation has had, this one included: 1 first. */
      epoch: number,
      /** Tells the key that the persons' keys are wrapped with from others, and nothing about it; base64url of 16 bytes. */
      wrappingKeyFingerprint: text,
    },
    audit: {
      type: 'LOG_ESTABLISH',
      details: ({ installationId, epoch, wrappingKeyFingerprint }) => ({
        installationId,
        epoch,
        wrappingKeyFingerprint,
      }),
    },
  }),

  /** Everything before was copied from the log of the former epoch: from here on this log is the installation's. */
  LogMoved: event({
    data: {
      installationId: text,
      /** Epoch of this log. */
      epoch: number,
      /** Number of copied events. */
      records: number,
      /** Merkle tree root over them (RFC 9162), SHA-256, base64. */
      root: text,
    },
    audit: {
      type: 'LOG_MOVE',
      details: ({ installationId, epoch, records, root }) => ({
        installationId,
        epoch,
        records,
        root,
      }),
    },
  }),

  /** The installation's log is another one from here on; nothing is appended to this one any more. */
  LogRetired: event({
    data: {
      /** Epoch of the log that replaced it. */
      epoch: number,
      /** Address of that log for display, without credentials. */
      movedTo: text,
    },
    audit: { type: 'LOG_RETIRE', details: ({ epoch, movedTo }) => ({ epoch, movedTo }) },
  }),

  /** The log was restored from a backup, and what is known of the time after it was accepted: it is in use again. */
  RestoredLogAccepted: event({
    data: {
      /** Moment of the backup, ISO 8601. */
      madeAt: text,
      restoredAt: text,
      /** Number of events in the backup. */
      records: number,
      /** Merkle tree root over them (RFC 9162), SHA-256, base64. */
      root: text,
      /** Id of the operator who accepted it, or `command line`. */
      operator: text,
      /** Second operator; null where nobody else could. */
      approver: nullable(text),
    },
    audit: {
      type: 'LOG_RESTORE_ACCEPT',
      details: ({ madeAt, restoredAt, records, root, operator, approver }) => ({
        madeAt,
        restoredAt,
        records,
        root,
        operator,
        approver,
      }),
    },
  }),

  /** The upgrade to a release was finished: no former release runs on this log any more. */
  UpgradeFinished: event({
    data: {
      /** Level of the installation from here on. */
      level: number,
      /** Version of the release that finished it. */
      release: text,
    },
    audit: { type: 'UPGRADE_FINISH', details: ({ level, release }) => ({ level, release }) },
  }),
});

export type LogIdentityEvent = EventOf<typeof logIdentityEvents>;
export type LogEstablished = EventOf<typeof logIdentityEvents, 'LogEstablished'>;
export type LogMoved = EventOf<typeof logIdentityEvents, 'LogMoved'>;
export type LogRetired = EventOf<typeof logIdentityEvents, 'LogRetired'>;
export type UpgradeFinished = EventOf<typeof logIdentityEvents, 'UpgradeFinished'>;
export type RestoredLogAccepted = EventOf<typeof logIdentityEvents, 'RestoredLogAccepted'>;

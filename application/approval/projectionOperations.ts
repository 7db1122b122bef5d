import { Refusal } from '../../domain/shared/refusal.ts';
import type { AccessLog } from '../organization/accessLog.ts';
import type { Clock } from '../ports/clock.ts';
import type { ParkedEvents } from './ports/parkedEvents.ts';
import type { SensitiveOperation } from './operations.ts';

/** Read models that hold rights: one that misses an event would confirm a right that has ended. */
const readModelsOfRights: readonly string[] = [
  ...['relyingParties', 'certificates', 'devices'],
  ...['organizations', 'representations', 'oidcClients', 'consents'],
];

export interface ProjectionOperationsDependencies {
  readonly parked: ParkedEvents;
  readonly accessLog: AccessLog;
  readonly clock: Clock;
}

/** Leaving out events that cannot be projected. */
export function projectionOperations({
  parked,
  accessLog,
  clock,
}: ProjectionOperationsDependencies): {
  readonly 'projection.skip': SensitiveOperation<'projection.skip'>;
} {
  return {
    'projection.skip': {
      async plan({ readModel, eventId }) {
        if (readModelsOfRights.includes(readModel)) {
          throw new Refusal('CONFLICT', {
            detail: `${readModel} decides who has which right, so its events cannot be skipped. Install a release that projects the event, then retry.`,
          });
        }
        const state = await parked.stateOf({ readModel, eventId });
        if (state === null) throw new Refusal('AUDIT_EVENT_NOT_FOUND');
        const target = `event ${eventId} in ${readModel}`;
        return {
          subject: eventId,
          civilId: null,
          effects: state === 'SKIPPED' ? [] : [{ target, before: state, after: 'SKIPPED' }],
          targets: [],
        };
      },
      async execute({ readModel, eventId }, context) {
        const skippedAt = clock.now().toISOString();
        // Recorded before it is skipped: after an outage in between, a repetition records it twice; the other order
        // might never record it.
        if ((await parked.stateOf({ readModel, eventId })) !== 'PARKED') return null;
        await accessLog(
          { type: 'ParkedEventSkipped', data: { readModel, eventId, skippedAt } },
          context,
        );
        await parked.skip({ readModel, eventId });
        return null;
      },
    },
  };
}

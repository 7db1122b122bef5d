import type { ApprovalEffect } from '../../domain/approval/events.ts';
import type { RelyingParty } from '../../domain/relyingParty/relyingParty.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { streamOf } from '../../domain/shared/streams.ts';
import type { EventStore, RecordedEvent } from '../ports/eventStore.ts';
import { deactivateRelyingParty } from '../relyingParty/deactivateRelyingParty.ts';
import type { RelyingPartyDependencies } from '../relyingParty/registerRelyingParty.ts';
import { createRelyingParties } from '../relyingParty/relyingParties.ts';
import { rotateSecret } from '../relyingParty/rotateSecret.ts';
import type { Plan, SensitiveOperation } from './operations.ts';

/** Deactivating relying parties and rotating their secrets. */
export function relyingPartyOperations(dependencies: RelyingPartyDependencies): {
  readonly 'relyingParty.deactivate': SensitiveOperation<'relyingParty.deactivate'>;
  readonly 'relyingParty.rotateSecret': SensitiveOperation<'relyingParty.rotateSecret'>;
} {
  const { relyingParties } = dependencies;

  const over = (eventStore: EventStore) => ({
    ...dependencies,
    relyingParties: createRelyingParties({ ...dependencies, eventStore }),
  });

  async function plan(
    relyingPartyId: string,
    effects: (party: Exclude<RelyingParty, { status: 'NONE' }>) => readonly ApprovalEffect[],
  ): Promise<Plan> {
    const { state, revision } = await relyingParties.load(relyingPartyId);
    if (state.status === 'NONE') throw new Refusal('RELYING_PARTY_NOT_FOUND');
    return {
      subject: relyingPartyId,
      civilId: null,
      effects: effects(state),
      targets: [{ stream: streamOf('relyingParty', relyingPartyId), revision }],
    };
  }

  return {
    'relyingParty.deactivate': {
      plan: ({ relyingPartyId }) =>
        plan(relyingPartyId, ({ status, settings: { name } }) =>
          status === 'DEACTIVATED'
            ? []
            : [{ target: `relying party ${name}`, before: status, after: 'DEACTIVATED' }],
        ),
      async execute({ relyingPartyId }, context, eventStore) {
        await deactivateRelyingParty(over(eventStore), relyingPartyId, context);
        return null;
      },
      concerns: isNoSubsystem,
    },

    'relyingParty.rotateSecret': {
      plan: ({ relyingPartyId }) =>
        plan(relyingPartyId, ({ settings: { name } }) => [
          {
            target: `API secret of relying party ${name}`,
            before: 'the present secret',
            after: 'a new secret, told once to who asked for it',
          },
        ]),
      execute: ({ relyingPartyId }, context, eventStore) =>
        rotateSecret(over(eventStore), relyingPartyId, context),
      concerns: isNoSubsystem,
      completes: ({ type }) => type === 'SecretRotated',
    },
  };
}

/** Subsystems register themselves all the time. */
function isNoSubsystem({ type }: RecordedEvent['event']): boolean {
  return !type.startsWith('Subsystem');
}

import type {
  DocumentSealed,
  SealDenial,
  SealedContent,
  SealEvent,
} from '../../domain/seal/events.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext, Journal } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventStore } from '../ports/eventStore.ts';
import type { Randomness } from '../ports/randomness.ts';
import {
  readSealStanding,
  type SealIdentity,
  sealIdentityOf,
  type SealStanding,
} from './sealStanding.ts';
import type { SealStandings } from './sealStandings.ts';

export interface SealRequest {
  /** National registration number of the organization, as kept. */
  readonly register: string;
  readonly relyingPartyId: string;
  readonly content: SealedContent;
}

/** What making the seal left behind for the log. */
export type MadeSeal = Pick<
  DocumentSealed['data'],
  'digest' | 'hashType' | 'signature' | 'sealedDocument'
>;

/** The moment and name of a seal in the making. */
export interface Sealing {
  readonly identity: SealIdentity;
  readonly sealId: string;
  readonly now: Date;
}

export interface SealerDependencies {
  readonly standings: Pick<SealStandings, 'current' | 'at'>;
  readonly eventStore: Pick<EventStore, 'read'>;
  readonly journal: Journal<SealEvent>;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/**
 * Makes a seal between two looks at what permits it: before anything is signed, and at the place its event got in the
 * log. So a revocation either stands behind the seal, or the seal is refused: both are never acknowledged the wrong way
 * round.
 *
 * @param make signs; what it rejects with, this does
 * @throws Refusal ORG_NOT_FOUND, ORG_NOT_ACTIVE, CERTIFICATE_NOT_ACTIVE
 * @throws Unavailable, Overloaded
 */
export type Seal = <Made extends MadeSeal>(
  request: SealRequest,
  make: (sealing: Sealing) => Promise<Made>,
  context: CommandContext,
) => Promise<Sealing & { readonly made: Made }>;

/** Seals for organizations; resolved means that the event is durable. */
export function createSeal(dependencies: SealerDependencies): Seal {
  const { standings, eventStore, journal, clock, randomness } = dependencies;

  /** Nobody is refused for what is only remembered. */
  async function currentOf(register: string, now: string): Promise<[SealStanding, SealIdentity]> {
    const remembered = await standings.current(register);
    try {
      return [remembered, sealIdentityOf(remembered, now)];
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
    const standing = await readSealStanding(eventStore, register);
    return [standing, sealIdentityOf(standing, now)];
  }

  return async (request, make, requestContext) => {
    const { register, relyingPartyId, content } = request;
    const sealId = randomness.uuid();
    const now = clock.now();
    const time = now.toISOString();
    const context = Object.assign({}, requestContext, { correlationId: sealId });

    /** What refuses a seal of a known organization stands in the log, too. */
    async function audited<Value>(
      deciding: () => Promise<Value>,
      takesBack: boolean,
    ): Promise<Value> {
      try {
        return await deciding();
      } catch (error) {
        if (isRefusal(error) && isDenial(error.code)) {
          const data = { sealId, register, relyingPartyId, content, deniedAt: time };
          const denied = {
            type: 'SealDenied',
            data: { ...data, reason: error.code, takesBack },
          } as const;
          await journal.record(register, denied, context);
        }
        throw error;
      }
    }

    const [standing, identity] = await audited(() => currentOf(register, time), false);
    const made = await make({ identity, sealId, now });
    const { position } = await journal.record(
      register,
      {
        type: 'DocumentSealed',
        data: {
          sealId,
          register,
          relyingPartyId,
          content,
          digest: made.digest,
          hashType: made.hashType,
          signature: made.signature,
          certificateSerial: identity.serial,
          certificateLevel: identity.level,
          sealedDocument: made.sealedDocument,
          sealedAt: time,
        },
      },
      context,
    );
    const then = await standings.at(register, standing, position);
    if (then !== standing) {
      await audited(() => Promise.resolve().then(() => refuseOther(then, identity, time)), true);
    }
    return { identity, sealId, now, made };
  };
}

function refuseOther(standing: SealStanding, { serial }: SealIdentity, now: string): void {
  if (sealIdentityOf(standing, now).serial === serial) return;
  throw new Refusal('CERTIFICATE_NOT_ACTIVE', {
    detail: "The organization's seal certificate was superseded meanwhile; seal again.",
  });
}

function isDenial(code: string): code is SealDenial {
  return code === 'ORG_NOT_ACTIVE' || code === 'CERTIFICATE_NOT_ACTIVE';
}

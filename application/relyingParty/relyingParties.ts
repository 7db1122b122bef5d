import type { RelyingPartyEvent } from '../../domain/relyingParty/events.ts';
import {
  type RelyingParty,
  type RelyingPartyCommand,
  relyingPartyDecider,
} from '../../domain/relyingParty/relyingParty.ts';
import { type Aggregate, type AggregateDependencies, createAggregate } from '../handleCommand.ts';

/** The relying-party aggregate bound to its store. */
export type RelyingParties = Aggregate<RelyingParty, RelyingPartyCommand, RelyingPartyEvent>;

export function createRelyingParties(
  dependencies: AggregateDependencies<RelyingParty>,
): RelyingParties {
  return createAggregate('relyingParty', relyingPartyDecider, dependencies);
}

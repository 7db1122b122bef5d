import type { EventLog } from '../application/ports/eventLog.ts';
import type { Config } from '../infrastructure/config.ts';
import { createAggregates } from './aggregates.ts';
import { createEffects } from './effects.ts';
import { openFoundation } from './foundation.ts';
import { createKeys } from './keys.ts';
import { composeServiceIdentities } from './serviceIdentities.ts';

/** What the parts of the service are composed from. */
export type Core = Awaited<ReturnType<typeof openCore>>;

/** Opens the database and builds everything the parts share; nothing else is started. */
export async function openCore(config: Config, aroundLog: (log: EventLog) => EventLog) {
  const foundation = await openFoundation(config, aroundLog);
  const aggregates = createAggregates(config, foundation);
  const keys = createKeys(config, foundation);
  const serviceIdentities = composeServiceIdentities(foundation, aggregates, keys);
  const effects = createEffects(config, foundation, aggregates);
  return { config, foundation, aggregates, keys, serviceIdentities, effects };
}

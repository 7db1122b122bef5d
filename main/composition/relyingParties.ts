import type { OperatorGuards } from '../../api/admin/guard.ts';
import { relyingPartyRoutes } from '../../api/admin/relyingPartyRoutes.ts';
import { subsystemRoutes } from '../../api/admin/subsystemRoutes.ts';
import type { Submit } from '../../application/approval/submitCommand.ts';
import type { CommandContext } from '../../application/handleCommand.ts';
import type { RelyingPartyData } from '../../application/ports/referenceData.ts';
import { relyingPartyNamesRoute } from '../../api/admin/relyingPartyNamesRoute.ts';
import { requestLogRoute } from '../../api/admin/requestLogRoute.ts';
import { ownRequestsRoute } from '../../api/rp/requestLogRoute.ts';
import { sealingRoutes } from '../../api/admin/sealingRoutes.ts';
import {
  allowSealing,
  withdrawSealing,
  type NamesWish,
  type SealingWish,
  deactivateRelyingParty,
  type IssuedSecret,
  registerByLink,
  registerRelyingParty,
  rotateSecret,
  setNames,
} from '../../application/relyingParty/administration.ts';
import type { Offer } from '../../application/relyingParty/offers.ts';
import { createRequestLog } from '../../application/relyingParty/requestLog.ts';
import type { RelyingPartySettings } from '../../domain/relyingParty/settings.ts';
import { createPostgresNotedRequests } from '../../infrastructure/postgres/notedRequests.ts';
import { failingFast } from '../../infrastructure/postgres/pool.ts';
import { createRelyingPartyPages } from '../../projections/relyingParties.ts';
import type { Core } from './core.ts';
import type { ServiceModule } from './serviceModule.ts';
import { relyingPartiesReadModel } from '../../projections/models/relyingParties.ts';

/** Administration of relying parties on the machine itself. */
export interface RelyingPartyAdministration {
  registerRelyingParty(settings: RelyingPartySettings): Promise<IssuedSecret>;
  /** Registers one whose secret a link hands over. */
  registerByLink(settings: RelyingPartySettings): Promise<Offer>;
  rotateSecret(relyingPartyId: string): Promise<IssuedSecret>;
  deactivateRelyingParty(relyingPartyId: string): Promise<void>;
  /** Allows or forbids it to seal for an organization. */
  changeSealing(change: 'allow' | 'withdraw', wish: SealingWish): Promise<void>;
  /** Sets the names it may ask citizens under, beside its registered one. */
  setRelyingPartyNames(wish: NamesWish): Promise<void>;
  listRelyingParties(): Promise<readonly RelyingPartyData[]>;
}

/** Relying parties and their subsystems: queries and commands of operators. */
export function composeRelyingParties(
  { foundation, aggregates: { relyingParties, takeNames } }: Core,
  guards: OperatorGuards,
  submit: Submit,
) {
  const { clock, randomness, eventStore, storedReferenceData, database, lists } = foundation;
  const { pool, referenceData, outageLog } = foundation;
  const progress = foundation.progressOf(relyingPartiesReadModel);
  const registering = { relyingParties, takeNames, clock, randomness, progress };
  const parties = {
    ...registering,
    eventStore,
    submit,
    ...failingFast(createRelyingPartyPages({ database, lists })),
  };
  const store = createPostgresNotedRequests(pool);
  const requestLog = createRequestLog({
    store,
    clock,
    onFailure: (cause) =>
      outageLog.error({ err: cause }, 'Requests of relying parties could not be recorded.'),
  });
  const module: ServiceModule = {
    routes: [
      ...relyingPartyRoutes(guards, parties),
      ...sealingRoutes(guards, parties),
      relyingPartyNamesRoute(guards, parties),
      ...subsystemRoutes(guards, parties),
      requestLogRoute(guards, { eventStore, store }),
      ownRequestsRoute(referenceData, store),
    ],
    stop: requestLog.settle,
  };
  const administration = (context: () => CommandContext): RelyingPartyAdministration => ({
    registerRelyingParty: (settings) => registerRelyingParty(registering, settings, context()),
    registerByLink: (settings) => registerByLink(registering, settings, context()),
    rotateSecret: (id) => rotateSecret(registering, id, context()),
    deactivateRelyingParty: (id) => deactivateRelyingParty(registering, id, context()),
    changeSealing: (change, wish) =>
      (change === 'allow' ? allowSealing : withdrawSealing)(registering, wish, context()),
    setRelyingPartyNames: (wish) => setNames(registering, wish, context()),
    listRelyingParties: () => storedReferenceData.relyingParties(),
  });
  return { module, administration, requestLog, registering };
}

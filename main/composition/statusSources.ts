import type { Core } from './core.ts';
import { nameChecks } from '../../infrastructure/outside/names.ts';
import type { ServiceModule } from './serviceModule.ts';

/** Sources of `/readyz` and of the system page: checks by name, projections, and events left behind. */
export function composeStatusSources(core: Core, modules: readonly ServiceModule[]) {
  const { config, foundation, keys, effects } = core;
  const {
    metrics,
    outageLog,
    projector,
    staleness,
    hotLog,
    pool,
    parkedRows,
    deadLetters,
    lostEvents,
  } = foundation;
  const checks = {
    eventStore: () => hotLog.check(),
    database: () => pool.query('select 1'),
    keyVault: () => keys.keyVault.check(),
    ...foundation.serverChecks,
    // Named only where there is something to accept: most installations are never restored.
    ...(!foundation.restoreGate.isOpen() && { restored: () => foundation.restoreGate.check() }),
    ...Object.fromEntries(modules.flatMap((module) => Object.entries(module.checks ?? {}))),
  };
  outageLog.watch(checks);
  const partners = {
    ...foundation.outside.checks(),
    ...effects.partners,
    ...nameChecks(config, foundation.outside),
    eventsKept: () => lostEvents.check(),
    projector: () => staleness.check(),
    ...Object.fromEntries(modules.flatMap((module) => Object.entries(module.partners ?? {}))),
  };
  const isProjecting = () => projector.isActive() || staleness.projectors().length > 0;
  const projections = () =>
    projector.status().map(({ name, state }) => ({
      name,
      running: state !== 'FAILED' && isProjecting(),
      lagSeconds: staleness.lagMs(name) / 1000,
    }));
  metrics.watchProjections(projections, () => staleness.projectors());
  const leftBehind = async () => ({
    parked: await parkedRows.counts(),
    deadLetters: await deadLetters.counts(),
  });
  metrics.watchLeftBehind(leftBehind);
  metrics.watchArchive(() => foundation.archive.catalog.totals());
  return { checks, partners, projections, leftBehind };
}

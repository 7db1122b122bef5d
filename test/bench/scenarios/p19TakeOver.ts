import { findHolders } from '../../../infrastructure/postgres/lockHolders.ts';
import { createPool } from '../../../infrastructure/postgres/pool.ts';
import { createPhone } from '../../../apps/phone/phone.ts';
import { createMemoryPhoneStore } from '../../../apps/phone/phoneStore.ts';
import { projectionLock } from '../../../projections/engine/projector.ts';
import { eventually } from '../../support/assertions/eventually.ts';
import { maintaining, prepareInstallation } from '../../support/installation/installation.ts';
import { createLiveRelyingParty } from '../../../main/drill/callers.ts';
import { liveCitizen } from '../../support/installation/liveInstallation.ts';
import { openOcspStatus } from '../../support/installation/ocspStatus.ts';
import { createServiceProcess } from '../../support/installation/serviceProcess.ts';
import { migrateAt } from '../support/eventLog.ts';
import { measured, type Row, row } from '../support/measure.ts';
import type { Bench, Scenario } from '../support/scenario.ts';

/** Seconds until a process that died or hangs is replaced, and until stale answers end. */
export const takeOverScenario: Scenario = { id: 'P19', title: 'Take-over', run };

const workerLock = 'tamga-reactor-publishRevocationLists';
/** `certStatus` good (RFC 6960 §4.2.1). */
const GOOD = 0;

async function run(bench: Bench): Promise<readonly Row[]> {
  const url = await bench.freshDatabase('takeover');
  await migrateAt(url);
  const common = { SVC_DATABASE_URL: url };
  const credentials = await prepareInstallation(common);
  const { civilId, card } = liveCitizen(0);
  const pool = createPool({ url });
  bench.atEnd(() => pool.end());

  async function start(role: string) {
    const started = await createServiceProcess({ ...common, SVC_ROLES: role });
    await started.start();
    bench.atEnd(async () => {
      if (started.hasEnded()) return;
      process.kill(started.pid, 'SIGCONT');
      await started.stop();
    });
    return started;
  }

  /** Seconds until `isReached`. */
  async function secondsUntil(isReached: () => Promise<boolean>): Promise<number> {
    const begun = performance.now();
    await eventually(async () => {
      if (!(await isReached())) throw new Error('Nobody took over.');
    }, 60_000);
    return (performance.now() - begun) / 1000;
  }

  /** Seconds until the standby has the lock after `signal` reached its holder. */
  async function takeOver(role: string, lock: string, signal: 'SIGKILL' | 'SIGSTOP') {
    const holds = async ({ pid }: { readonly pid: number }) =>
      (await findHolders(pool, lock))[0]?.endsWith(`:${pid}`) === true;
    const active = await start(role);
    await secondsUntil(() => holds(active));
    const standby = await start(role);
    process.kill(active.pid, signal);
    const seconds = await secondsUntil(() => holds(standby));
    if (signal === 'SIGSTOP') await active.kill();
    await standby.stop();
    return seconds;
  }

  /** Seconds until no certificate is called good any more, once the only projector hangs. */
  async function staleAnswers(api: { readonly origin: string }, serial: string) {
    const statusAt = await openOcspStatus(api.origin);
    const projector = await start('projector');
    await secondsUntil(async () => (await statusAt(api.origin, serial)) === GOOD);
    process.kill(projector.pid, 'SIGSTOP');
    const stoppedAt = performance.now();
    // A log at rest has nothing the read models lack, and good is true for as long.
    await createLiveRelyingParty(api.origin, credentials).create(civilId);
    await secondsUntil(async () => (await statusAt(api.origin, serial)) !== GOOD);
    const seconds = (performance.now() - stoppedAt) / 1000;
    await projector.kill();
    return seconds;
  }

  const api = await start('api');
  const first = await start('projector');
  const phone = createPhone({ baseUrl: api.origin, store: createMemoryPhoneStore() });
  await phone.enrol({ card, pin1: '1234', pin2: '12345' });
  const [held] = await maintaining(common, (service) => service.listCertificates({ civilId }));
  await first.stop();

  const runs = {
    projectorKilled: [] as number[],
    projectorHung: [] as number[],
    workerKilled: [] as number[],
    workerHung: [] as number[],
    restart: [] as number[],
    stale: [] as number[],
  };
  for (let round = 1; round <= bench.rounds; round += 1) {
    bench.progress(`round ${round}/${bench.rounds}`);
    runs.projectorKilled.push(await takeOver('projector', projectionLock('sessions'), 'SIGKILL'));
    runs.projectorHung.push(await takeOver('projector', projectionLock('sessions'), 'SIGSTOP'));
    runs.workerKilled.push(await takeOver('worker', workerLock, 'SIGKILL'));
    runs.workerHung.push(await takeOver('worker', workerLock, 'SIGSTOP'));
    runs.stale.push(await staleAnswers(api, held?.serial ?? ''));
    await api.kill();
    const begun = performance.now();
    await api.start();
    runs.restart.push((performance.now() - begun) / 1000);
  }
  const within = (measure: string, values: readonly number[], atMost: number) =>
    row(measure, 's', { subject: measured('standby', values) }, { goal: { atMost } });
  return [
    within('projector killed, another projects', runs.projectorKilled, 3),
    within('projector hangs, another projects', runs.projectorHung, 10),
    within('worker killed, another works', runs.workerKilled, 3),
    within('worker hangs, another works', runs.workerHung, 10),
    within('API process killed, ready again', runs.restart, 5),
    within('only projector hangs, OCSP no longer says good', runs.stale, 10),
  ];
}

import { type Answer, call } from '../../../main/drill/callers.ts';
import type { Service } from '../../../main/main.ts';
import { migratedDatabase } from '../events/eventLogs.ts';
import { queryOf } from '../programs/tamgaCommand.ts';
import {
  openOperatorWorld,
  type OperatorWorld,
  type TestOperator,
} from '../worlds/operatorWorld.ts';
import { startServiceHere } from './installation.ts';
import type { Settings } from './serviceProcess.ts';

/** A second less than the least time until what was under way before a loss has ended: tokens tell seconds. */
const SETTLE = '119 seconds';

/** An installation that was restored a moment ago, with the operators of its backup. */
export interface RestoredInstallation {
  readonly service: Service;
  readonly settings: Settings;
  readonly operators: OperatorWorld;
  /** May accept. */
  readonly admin: TestOperator;
  readonly officer: TestOperator;
  /** May accept as far as the role goes, and never signed in before the backup. */
  readonly newcomer: TestOperator;
  /** Asks the operator API with the session that the administrator had before the restore. */
  asBefore(path: string): Promise<Answer>;
  /** Ends what was under way before the loss as far as the restore's own time tells: operators may sign in soon. */
  settle(): Promise<void>;
}

/** Starts a service in this process whose database says that it was restored just now. */
export async function startRestored(more: Settings = {}): Promise<RestoredInstallation> {
  const settings = {
    SVC_DATABASE_URL: await migratedDatabase(),
    SVC_SESSION_WINDOW: '60',
    ...more,
  };
  const before = await startServiceHere(settings);
  const world = openOperatorWorld(before.origin);
  const admin = await world.signedIn('SUPER_ADMIN');
  const officer = await world.signedIn('SECURITY_OFFICER');
  const newcomer = await world.add('SUPER_ADMIN');
  await before.stop();
  await queryOf(
    settings,
    `insert into restored_backup (made_at, head, events, root, restored_at, findings)
     select now() - interval '1 day', max(position), count(*), 'a root', now(),
       '[{"what": "certificate 0a (personal), revoked", "isApplied": true},
         {"what": "3 × DeviceEnrolled is lost", "isApplied": false}]'
     from event`,
  );
  const service = await startServiceHere(settings);
  return {
    service,
    settings,
    operators: openOperatorWorld(service.origin),
    admin,
    officer,
    newcomer,
    asBefore: (path) =>
      call(`${service.origin}/v3/admin${path}`, {
        headers: { authorization: `Bearer ${admin.token}` },
      }),
    async settle() {
      await queryOf(
        settings,
        `update restored_backup set restored_at = now() - interval '${SETTLE}'`,
      );
    },
  };
}

import { LOG_IDENTITY } from '../../domain/logIdentity/logIdentity.ts';
import { hasCapability } from '../../domain/operator/capabilities.ts';
import type { OperatorRecord } from '../../domain/operator/operators.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { OperatorDirectory } from '../operator/operators.ts';
import type { RestoredBackups } from './ports/restoredBackups.ts';
import type { LogIdentities } from './verifyLog.ts';

export interface AcceptRestoredDependencies {
  readonly identities: LogIdentities;
  readonly backups: RestoredBackups;
  readonly directory: Pick<OperatorDirectory, 'current'>;
  readonly clock: Clock;
  /** Time after the restore in which what was under way before the loss ends by itself, ms: sessions, codes, proofs. */
  readonly settleMs: number;
}

/** The operator who accepts and the one who approves, both proved. */
export interface Acceptors {
  readonly operator: OperatorRecord;
  readonly approver: OperatorRecord;
}

/** Requires the capability `cert:revoke`, as accepting decides which certificates count as revoked. */
function mayAccept({ active, role, secondFactor }: OperatorRecord): boolean {
  return active && secondFactor !== null && hasCapability(role, 'cert:revoke');
}

/**
 * Accepts what was restored from a backup: logins, codes and tokens of before end, and the service serves and signs
 * again. The restored log says whether two operators are needed: where two could accept it, two do.
 *
 * @param by null: whoever has the machine
 * @throws Error with what to do, when nothing waits, it is too early or two operators are needed
 * @throws Refusal PERMISSION_DENIED
 */
export async function acceptRestored(
  { identities, backups, directory, clock, settleMs }: AcceptRestoredDependencies,
  by: Acceptors | null,
  context: CommandContext,
): Promise<void> {
  const restored = await backups.pending();
  if (restored === null) throw new Error('No restored backup waits to be accepted.');
  const settledAt = restored.restoredAt.getTime() + settleMs;
  if (clock.now().getTime() < settledAt) {
    throw new Error(
      'Sessions and one-time codes of before the loss may not have ended yet: accept it after ' +
        `${new Date(settledAt).toISOString()}.`,
    );
  }
  const able = [...(await directory.current()).values()].filter(mayAccept);
  if (by === null && able.length >= 2) {
    throw new Error(
      'Two operators accept it, both with the right to revoke certificates and an authenticator: name them with ' +
        '--operator and --approver.',
    );
  }
  if (by !== null) expectTwo(by);
  const { madeAt, restoredAt, events: records, root } = restored;
  const acceptance = {
    madeAt: madeAt.toISOString(),
    restoredAt: restoredAt.toISOString(),
    records,
    root,
    operator: by?.operator.operatorId ?? context.actor.id,
    approver: by?.approver.operatorId ?? null,
  };
  const actor = { kind: 'operator', id: acceptance.operator } as const;
  // First the event: interrupted before the second, it is accepted again, and the log says so twice.
  await identities.handle(
    LOG_IDENTITY,
    { type: 'AcceptRestored', acceptance },
    { ...context, actor },
  );
  await backups.accept();
}

function expectTwo({ operator, approver }: Acceptors): void {
  if (operator.operatorId === approver.operatorId) {
    throw new Error('The approver has to be another operator.');
  }
  for (const each of [operator, approver]) {
    if (!mayAccept(each)) throw new Refusal('PERMISSION_DENIED');
  }
}

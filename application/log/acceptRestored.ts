import { LOG_IDENTITY } from '../../domain/logIdentity/logIdentity.ts';
import { hasCapability } from '../../domain/operator/capabilities.ts';
import type { OperatorRecord } from '../../domain/operator/operators.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { OperatorDirectory } from '../operator/operators.ts';
import type { RestoredBackup, RestoredBackups } from './ports/restoredBackups.ts';
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

/** An operator with a session, and the number of findings that they have seen. */
export interface Reader {
  readonly operatorId: string;
  readonly findings: number;
}

/** Time from which what was restored may be accepted. @param settleMs see {@link AcceptRestoredDependencies} */
export function settledAt({ restoredAt }: RestoredBackup, settleMs: number): Date {
  return new Date(restoredAt.getTime() + settleMs);
}

/** Requires the capability `cert:revoke`, as accepting decides which certificates count as revoked. */
function mayAccept({ active, role, secondFactor }: OperatorRecord): boolean {
  return active && secondFactor !== null && hasCapability(role, 'cert:revoke');
}

/**
 * Asks another operator to accept what was restored. The four eyes of other commands are closed meanwhile: their inbox
 * holds requests of before the backup.
 *
 * @throws Refusal CONFLICT, PERMISSION_DENIED
 */
export async function askToAccept(
  dependencies: AcceptRestoredDependencies,
  { operatorId, findings }: Reader,
): Promise<void> {
  const { directory, backups } = dependencies;
  const { asked } = expectRead(await expectWaiting(dependencies), findings);
  const operators = await directory.current();
  expectAble(operators.get(operatorId));
  const other = asked === null ? undefined : operators.get(asked.by);
  if (other !== undefined && other.operatorId !== operatorId && mayAccept(other)) {
    throw new Refusal('CONFLICT', {
      detail: 'Another operator has already asked. Accept the request.',
    });
  }
  await backups.ask(operatorId);
}

/**
 * Accepts as {@link acceptRestored} does what another operator asked for.
 *
 * @throws Refusal CONFLICT, PERMISSION_DENIED, ErrSelfApproval
 */
export function acceptAsked(
  dependencies: AcceptRestoredDependencies,
  { operatorId, findings }: Reader,
  context: CommandContext,
): Promise<void> {
  return dependencies.backups.exclusively(async () => {
    const { asked } = expectRead(await expectWaiting(dependencies), findings);
    if (asked === null) {
      throw new Refusal('CONFLICT', {
        detail: 'Nobody has asked to accept the restored backup. Have another operator ask first.',
      });
    }
    const operators = await dependencies.directory.current();
    const operator = expectAble(operators.get(asked.by));
    const approver = expectAble(operators.get(operatorId));
    await acceptAlone(dependencies, { operator, approver }, context);
  });
}

/**
 * Accepts what was restored from a backup: logins, codes and tokens of before end, and the service serves and signs
 * again. The restored log says whether two operators are needed: where two could accept it, two do.
 *
 * @param by null: whoever has the machine
 * @throws Refusal CONFLICT when nothing waits, it is too early, evidence is being taken or two operators are needed,
 *   PERMISSION_DENIED, ErrSelfApproval
 */
export function acceptRestored(
  dependencies: AcceptRestoredDependencies,
  by: Acceptors | null,
  context: CommandContext,
): Promise<void> {
  return dependencies.backups.exclusively(() => acceptAlone(dependencies, by, context));
}

async function acceptAlone(
  dependencies: AcceptRestoredDependencies,
  by: Acceptors | null,
  context: CommandContext,
): Promise<void> {
  const { identities, backups, directory } = dependencies;
  const { madeAt, restoredAt, events: records, root } = await expectWaiting(dependencies);
  const able = [...(await directory.current()).values()].filter(mayAccept);
  if (by === null && able.length >= 2) {
    throw new Refusal('CONFLICT', {
      detail:
        'Two operators must accept it, both with the right to revoke certificates and with an authenticator: in the console, or ' +
        'name them with --operator and --approver.',
    });
  }
  if (by !== null) expectTwo(by);
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

/** The restored backup, which may be accepted by now. @throws Refusal CONFLICT */
async function expectWaiting({
  backups,
  clock,
  settleMs,
}: AcceptRestoredDependencies): Promise<RestoredBackup> {
  const restored = await backups.pending();
  if (restored === null) {
    throw new Refusal('CONFLICT', { detail: 'No restored backup is waiting to be accepted.' });
  }
  const from = settledAt(restored, settleMs);
  if (clock.now() >= from) return restored;
  throw new Refusal('CONFLICT', {
    detail:
      'Sessions and one-time codes from before the loss may still be valid. Accept it after ' +
      `${from.toISOString()}.`,
  });
}

/** @param findings number that was seen @throws Refusal CONFLICT when there are others now */
function expectRead(restored: RestoredBackup, findings: number): RestoredBackup {
  if (restored.findings.length === findings) return restored;
  throw new Refusal('CONFLICT', {
    detail: 'Evidence was added to the list in the meantime. Read the list again.',
  });
}

/** @throws Refusal PERMISSION_DENIED */
function expectAble(operator: OperatorRecord | undefined): OperatorRecord {
  if (operator !== undefined && mayAccept(operator)) return operator;
  throw new Refusal('PERMISSION_DENIED');
}

function expectTwo({ operator, approver }: Acceptors): void {
  if (operator.operatorId === approver.operatorId) {
    throw new Refusal('ErrSelfApproval', { detail: 'The approver must be another operator.' });
  }
  for (const each of [operator, approver]) expectAble(each);
}

import type { OnBehalfOf, SessionStarted } from '../../domain/session/events.ts';
import { readRegister } from '../../domain/shared/etsi.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { AccessLog } from '../organization/accessLog.ts';
import type { StandingOf } from '../organization/standing.ts';

export interface OnBehalfDependencies {
  readonly standingOf: StandingOf;
  readonly accessLog: AccessLog;
}

/** A session asked for on behalf of an organization. */
export interface OnBehalfRequest {
  /** ETSI identifier of the organization, or its register. */
  readonly organization: string;
  /** Who is to answer; null: whoever opens the link. */
  readonly civilId: string | null;
  readonly now: Date;
}

function invalid(detail: string): Refusal {
  return new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '/onBehalfOf', detail }] });
}

/**
 * For whom the citizen acts, provided that there is a right to; who has none is recorded for the audit. Who has is
 * recorded by {@link recordOnBehalf}, once there is a session.
 *
 * @throws Refusal INVALID_REQUEST; as {@link StandingOf}
 */
export async function expectOnBehalf(
  { standingOf, accessLog }: OnBehalfDependencies,
  { organization: asked, civilId, now }: OnBehalfRequest,
  context: CommandContext,
): Promise<OnBehalfOf> {
  const register = readRegister(asked);
  if (register === null) throw invalid('Must be NTRMN-<national registration number>.');
  if (civilId === null)
    throw invalid('Name the person: the right is checked before the phone is asked.');
  const checkedAt = now.toISOString();
  const about = { register, civilId };
  try {
    const { organization, right } = await standingOf(register, civilId, now);
    return { register, name: organization.name, rightType: right.rightType, role: right.role };
  } catch (error) {
    if (isRefusal(error)) {
      const data = { ...about, code: error.code, checkedAt };
      await accessLog({ type: 'OnBehalfDenied', data }, context);
    }
    throw error;
  }
}

/** Records for the audit that a session on behalf of an organization was let through. */
export async function recordOnBehalf(
  accessLog: AccessLog,
  { onBehalfOf, civilId, sessionId, startedAt }: SessionStarted['data'],
  context: CommandContext,
): Promise<void> {
  if (onBehalfOf === null || civilId === null) return;
  const data = { register: onBehalfOf.register, civilId, sessionId, checkedAt: startedAt };
  await accessLog({ type: 'OnBehalfAccepted', data }, context);
}

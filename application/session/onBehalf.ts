import type { OnBehalfOf, SessionStarted } from '../../domain/session/events.ts';
import { readRegister } from '../../domain/shared/etsi.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { AccessLog } from '../organization/accessLog.ts';
import type { ExpectRepresentation } from '../organization/expectRepresentation.ts';

export interface OnBehalfDependencies {
  readonly expectRepresentation: ExpectRepresentation;
  readonly accessLog: AccessLog;
}

/** A session requested on behalf of an organization. */
export interface OnBehalfRequest {
  /** ETSI identifier of the organization, or its register. */
  readonly organization: string;
  /** Required answerer; null: whoever opens the link. */
  readonly civilId: string | null;
  readonly now: Date;
}

function invalid(detail: string): Refusal {
  return new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '/onBehalfOf', detail }] });
}

/**
 * Checks the citizen's right to act for the organization; a missing right is recorded for the audit. A present one is
 * recorded by {@link recordOnBehalf}, once there is a session.
 *
 * @throws Refusal INVALID_REQUEST; as {@link ExpectRepresentation}
 */
export async function expectOnBehalf(
  { expectRepresentation, accessLog }: OnBehalfDependencies,
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
    const { organization, right } = await expectRepresentation(register, civilId, now);
    return { register, name: organization.name, rightType: right.rightType, role: right.role };
  } catch (error) {
    if (isRefusal(error)) {
      const data = { ...about, code: error.code, checkedAt };
      await accessLog({ type: 'OnBehalfDenied', data }, context);
    }
    throw error;
  }
}

/** Records for the audit that a session on behalf of an organization was allowed. */
export async function recordOnBehalf(
  accessLog: AccessLog,
  { onBehalfOf, civilId, sessionId, startedAt }: SessionStarted['data'],
  context: CommandContext,
): Promise<void> {
  if (onBehalfOf === null || civilId === null) return;
  const data = { register: onBehalfOf.register, civilId, sessionId, checkedAt: startedAt };
  await accessLog({ type: 'OnBehalfAccepted', data }, context);
}

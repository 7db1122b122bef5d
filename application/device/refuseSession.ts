import {
  type EndResult,
  type FailureResult,
  type RefusalResult,
  refusalResults,
} from '../../domain/session/events.ts';
import { mayAnswer, type SessionCommand } from '../../domain/session/session.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { DeviceData } from '../ports/referenceData.ts';
import type { Sessions } from '../session/sessions.ts';
import { answererOf, expectOffered, loadSessionFor } from './sessionAnswer.ts';

/** Reasons of a phone not to sign: the citizen's refusal, or the phone's own. */
export const phoneReasons = [
  ...refusalResults,
  'WRONG_VC',
  'DOCUMENT_UNUSABLE',
  'PROTOCOL_FAILURE',
  'REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP',
  'EXPECTED_LINKED_SESSION',
] as const satisfies readonly EndResult[];

export type PhoneReason = (typeof phoneReasons)[number];

/**
 * Ends a session without a signature.
 *
 * @returns the completed session
 * @throws Refusal SESSION_NOT_FOUND, INVALID_REQUEST, SESSION_ALREADY_COMPLETE, SESSION_EXPIRED
 */
export async function refuseSession(
  { sessions, clock }: { readonly sessions: Sessions; readonly clock: Clock },
  {
    device,
    sessionId,
    reason,
    interaction,
  }: {
    readonly device: DeviceData;
    readonly sessionId: string;
    readonly reason: PhoneReason;
    /** The type of the interaction the citizen refused; null: the first one offered. */
    readonly interaction: string | null;
  },
  context: CommandContext,
): Promise<EndResult> {
  const by = answererOf(device);
  const { started } = await loadSessionFor(sessions, sessionId, (each) => mayAnswer(each, by));
  if (interaction !== null) expectOffered(started, interaction, '/interaction');
  const refused = interaction ?? started.interactions[0]?.type ?? null;
  const now = clock.now().toISOString();
  const command: SessionCommand = isRefusalResult(reason)
    ? {
        type: 'RefuseSession',
        by,
        endResult: reason,
        interaction: reason === 'USER_REFUSED_INTERACTION' ? refused : null,
        now,
      }
    : { type: 'FailSession', by, endResult: reason, now };
  const { state } = await sessions.handle(sessionId, command, context);
  if (state.status !== 'COMPLETE') throw new Error('Session not complete after its refusal.');
  return state.outcome.endResult;
}

function isRefusalResult(reason: RefusalResult | FailureResult): reason is RefusalResult {
  return (refusalResults as readonly string[]).includes(reason);
}

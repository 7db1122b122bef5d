import type { EndResult } from '../../domain/session/events.ts';
import { mayAnswer } from '../../domain/session/session.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { DeviceData } from '../ports/referenceData.ts';
import type { Sessions } from '../session/sessions.ts';
import { answererOf, expectUsable, loadSessionFor } from './sessionAnswer.ts';

/**
 * Answers a certificate choice with the device's signing certificate, without a signature.
 *
 * @returns the completed session
 * @throws Refusal SESSION_NOT_FOUND, INVALID_REQUEST when the session asks for a signature, CERTIFICATE_NOT_ACTIVE,
 * NO_SUITABLE_CERTIFICATE, SESSION_ALREADY_COMPLETE, SESSION_EXPIRED
 */
export async function chooseCertificate(
  { sessions, clock }: { readonly sessions: Sessions; readonly clock: Clock },
  { device, sessionId }: { readonly device: DeviceData; readonly sessionId: string },
  context: CommandContext,
): Promise<EndResult> {
  const by = answererOf(device);
  const session = await loadSessionFor(sessions, sessionId, (each) => mayAnswer(each, by));
  const now = clock.now();
  const { serial, level } = device.signing;
  if (session.status === 'RUNNING' && session.started.kind === 'CERTIFICATE_CHOICE') {
    expectUsable(device.signing, session.started, now);
  }
  const { state } = await sessions.handle(
    sessionId,
    {
      type: 'ChooseCertificate',
      by,
      certificateSerial: serial,
      certificateLevel: level,
      now: now.toISOString(),
    },
    context,
  );
  if (state.status !== 'COMPLETE')
    throw new Error('Session not complete after a certificate choice.');
  return state.outcome.endResult;
}

import type { EndResult } from '../../domain/session/events.ts';
import { mayAnswer } from '../../domain/session/session.ts';
import { signingMethod } from '../../domain/session/signing.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { DeviceFact } from '../ports/facts.ts';
import type { SignatureVerifier } from '../ports/signatureVerifier.ts';
import type { Sessions } from '../session/sessions.ts';
import { answererOf, loadSessionFor } from './answerableSession.ts';
import { expectUsable } from './usableCertificate.ts';
import { expectOffered, nestedAnswer, type PhoneParts, signedInput } from './signedAnswer.ts';

/** The citizen's yes, as the phone sends it. */
export interface Confirmation extends PhoneParts {
  /** The code the phone computed from what it signed and the citizen compared. */
  readonly verificationCode: string;
  /** Raw bytes; ECDSA as a DER sequence. */
  readonly signature: Buffer;
}

export interface ConfirmSessionDependencies {
  readonly sessions: Sessions;
  readonly signatureVerifier: SignatureVerifier;
  readonly clock: Clock;
}

/**
 * Confirms a session with a signature by the device's key for it, verified over the exact payload of this session. A
 * wrong signature is refused and the session stays RUNNING; a wrong code ends it with WRONG_VC.
 *
 * @returns what the session came to
 * @throws Refusal SESSION_NOT_FOUND, INVALID_REQUEST, SIGNATURE_INVALID, CERTIFICATE_NOT_ACTIVE, NO_SUITABLE_CERTIFICATE,
 *   SESSION_ALREADY_COMPLETE, SESSION_EXPIRED
 */
export async function confirmSession(
  { sessions, signatureVerifier, clock }: ConfirmSessionDependencies,
  {
    device,
    sessionId,
    confirmation,
  }: {
    readonly device: DeviceFact;
    readonly sessionId: string;
    readonly confirmation: Confirmation;
  },
  context: CommandContext,
): Promise<EndResult> {
  const by = answererOf(device);
  const session = await loadSessionFor(sessions, sessionId, (each) => mayAnswer(each, by));
  const { started } = session;
  const certificate = started.kind === 'AUTHENTICATION' ? device.authentication : device.signing;
  const method = signingMethod(started, certificate.keyType);
  const nested = nestedAnswer(session, confirmation, method);
  // Of a complete session the decision below knows whether this is a repetition; there is nothing to verify.
  if (session.status === 'RUNNING' && confirmation.verificationCode === started.verificationCode) {
    expectOffered(started, confirmation.interactionTypeUsed, '/interactionTypeUsed');
    expectUsable(certificate, started, clock.now());
    const input = signedInput(started, certificate, method, confirmation);
    const { signature } = confirmation;
    const form = { rsa: method.scheme === 'pss' ? 'pss' : 'pkcs1' } as const;
    if (!(await signatureVerifier.verify(certificate.publicKey, input, signature, form))) {
      throw new Refusal('SIGNATURE_INVALID');
    }
  }
  const { state } = await sessions.handle(
    sessionId,
    {
      type: 'ConfirmSession',
      by,
      verificationCode: confirmation.verificationCode,
      signature: confirmation.signature.toString('base64'),
      signatureAlgorithm: method.signatureAlgorithm,
      certificateSerial: certificate.serial,
      certificateLevel: certificate.level,
      interactionTypeUsed: confirmation.interactionTypeUsed,
      nested,
      now: clock.now().toISOString(),
    },
    context,
  );
  if (state.status !== 'COMPLETE') throw new Error('A confirmed session is not complete.');
  return state.outcome.endResult;
}

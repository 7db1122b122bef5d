import type { EndResult } from '../../domain/session/events.ts';
import { mayAnswer } from '../../domain/session/session.ts';
import { signingMethod } from '../../domain/session/signing.ts';
import { meetsLevel } from '../../domain/shared/certificateLevel.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { CertificateData, DeviceData } from '../ports/referenceData.ts';
import type { SignatureVerifier } from '../ports/signatureVerifier.ts';
import type { Sessions } from '../session/sessions.ts';
import {
  answererOf,
  expectOffered,
  expectUsable,
  loadSessionFor,
  nestedAnswer,
  type PhoneParts,
  signedInput,
} from './sessionAnswer.ts';

/** The citizen's confirmation, as the phone sends it. */
export interface Confirmation extends PhoneParts {
  /** Verification code the phone derived from the signed data and the citizen compared. */
  readonly verificationCode: string;
  /** Raw bytes; ECDSA as a DER sequence. */
  readonly signature: Buffer;
}

export interface ConfirmSessionDependencies {
  readonly sessions: Sessions;
  readonly signatureVerifier: SignatureVerifier;
  readonly clock: Clock;
  /** Time from a certificate's issue to its first qualified signature, ms; 0: none. */
  readonly signingCoolingMs: number;
}

/**
 * Confirms a session with a signature by the device's key, verified over the exact payload of this session. A wrong
 * signature is refused and the session stays RUNNING; a wrong code ends it with WRONG_VC.
 *
 * @returns the completed session
 * @throws Refusal SESSION_NOT_FOUND, INVALID_REQUEST, SIGNATURE_INVALID, CERTIFICATE_NOT_ACTIVE,
 * NO_SUITABLE_CERTIFICATE, SESSION_ALREADY_COMPLETE, SESSION_EXPIRED
 */
export async function confirmSession(
  { sessions, signatureVerifier, clock, signingCoolingMs }: ConfirmSessionDependencies,
  {
    device,
    sessionId,
    confirmation,
  }: {
    readonly device: DeviceData;
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
  // A complete session needs no verification: the decision below recognises a repetition.
  if (session.status === 'RUNNING' && confirmation.verificationCode === started.verificationCode) {
    expectOffered(started, confirmation.interactionTypeUsed, '/interactionTypeUsed');
    expectUsable(certificate, started, clock.now());
    if (started.kind === 'SIGNATURE') expectCooled(certificate, signingCoolingMs, clock.now());
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
  if (state.status !== 'COMPLETE') throw new Error('Session not complete after its confirmation.');
  return state.outcome.endResult;
}

/**
 * Checks the cooling time of a new phone before its first qualified signature: it gives the citizen time to notice an
 * enrolment by somebody else.
 *
 * @throws Refusal NO_SUITABLE_CERTIFICATE
 */
function expectCooled(
  { level, notBefore }: Pick<CertificateData, 'level' | 'notBefore'>,
  coolingMs: number,
  now: Date,
): void {
  const from = new Date(Date.parse(notBefore) + coolingMs);
  if (!meetsLevel(level, 'QUALIFIED') || now >= from) return;
  const detail = `This phone is new. It makes qualified signatures from ${from.toISOString()} on.`;
  throw new Refusal('NO_SUITABLE_CERTIFICATE', { detail });
}

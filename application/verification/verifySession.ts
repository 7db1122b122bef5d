import type { CertificateEvent } from '../../domain/certificate/events.ts';
import { displayedName } from '../../domain/relyingParty/names.ts';
import { signaturesIn, type SingleSignature } from '../../domain/session/batch.ts';
import type { CompleteSession } from '../../domain/session/session.ts';
import { FORGOTTEN } from '../../domain/shared/personalData.ts';
import { streamOf } from '../../domain/shared/streams.ts';
import type { DocumentStamped, StampEvent } from '../../domain/stamp/events.ts';
import type { CertificateReader } from '../ports/certificateReader.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventStore } from '../ports/eventStore.ts';
import type { SignatureVerifier } from '../ports/signatureVerifier.ts';
import type { TimestampVerifier } from './ports/timestampVerifier.ts';
import { representedIn } from '../session/represented.ts';
import type { Sessions } from '../session/sessions.ts';
import type { MadeDocuments } from '../stamp/madeDocuments.ts';
import {
  checkChain,
  checkOutcome,
  checkRevocation,
  checkSignature,
  checkTimestamp,
} from './checks.ts';
import type { SignedSession } from './signedSession.ts';
import type { Check, SignedFile, Verdict, Verification } from './verification.ts';

export interface VerifySessionDependencies {
  readonly sessions: Pick<Sessions, 'load'>;
  readonly eventStore: Pick<EventStore, 'read'>;
  readonly madeDocuments: Pick<MadeDocuments, 'madeOf'>;
  readonly signatureVerifier: SignatureVerifier;
  readonly certificates: CertificateReader;
  readonly timestamps: TimestampVerifier;
  readonly clock: Clock;
}

/**
 * Public verification of a completed signature session by its id; null for any other. A document prepared before its
 * session started has its own id, which leads to the session once the document is stamped. Reads the log, so it works
 * after the session's ten minutes.
 */
export type VerifySession = (id: string) => Promise<Verification | null>;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function createVerifySession(dependencies: VerifySessionDependencies): VerifySession {
  const { sessions, eventStore, signatureVerifier, certificates, timestamps, clock } = dependencies;

  async function eventsOf<Event>(stream: string): Promise<readonly Event[]> {
    const events: Event[] = [];
    for await (const { event } of eventStore.read(stream)) events.push(event as Event);
    return events;
  }

  async function stampOf(id: string): Promise<DocumentStamped['data'] | null> {
    const [stamped] = await eventsOf<StampEvent>(streamOf('stamp', id));
    return stamped?.data ?? null;
  }

  async function collect({
    id: sessionId,
    started,
    confirmation,
  }: SingleSignature): Promise<SignedSession | null> {
    const { digest, hashType: hash } = started;
    if (digest === null || hash === null) return null;
    const [history, stamped] = await Promise.all([
      eventsOf<CertificateEvent>(streamOf('certificate', confirmation.certificateSerial)),
      stampOf(sessionId),
    ]);
    const requested = history.find(({ type }) => type === 'CertificateRequested');
    const issued = history.find(({ type }) => type === 'CertificateIssued');
    if (requested?.type !== 'CertificateRequested') {
      throw new Error('Invariant violated: the certificate of a signature is not in the log.');
    }
    return {
      sessionId,
      started,
      confirmation,
      hash,
      history,
      stamped,
      requested: requested.data,
      digest: Buffer.from(digest, 'base64'),
      certificate: issued?.type === 'CertificateIssued' ? bytesOf(issued.data.certificate) : null,
    };
  }

  /** Runs the checks in the order of display. */
  async function runChecks(signed: SignedSession): Promise<readonly Check[]> {
    return [
      checkOutcome(signed),
      await checkSignature(signed, signatureVerifier),
      checkChain(signed, certificates),
      checkRevocation(signed, clock.now()),
      checkTimestamp(signed, timestamps),
    ];
  }

  async function fileOf({ sessionId, stamped, hash, digest }: SignedSession): Promise<SignedFile> {
    const file =
      stamped?.form === 'SIGNER'
        ? { kind: 'stamped' as const, hash: 'SHA256' as const, digest: stamped.stampedDigest }
        : { kind: 'signed' as const, hash, digest: digest.toString('hex') };
    const first = stamped === null ? [] : [stamped.stampedDigest];
    const signedSha256 = file.hash === 'SHA256' ? [file.digest] : [];
    const roots = [...new Set([sessionId, ...first, ...signedSha256])];
    return { ...file, made: [...first, ...(await dependencies.madeDocuments.madeOf(roots))] };
  }

  /** The session, or the document of a batch, that an id on a validation page leads to; null: none. */
  async function signedAs(id: string): Promise<string | null> {
    const stamped = await stampOf(id);
    return stamped === null || stamped.sessionId === id ? null : stamped.sessionId;
  }

  /** The signature of a session by its id: of a batch that of one document. Null: none. */
  async function signatureOf(
    session: CompleteSession,
    id: string,
  ): Promise<{ readonly signed: SignedSession | null } | null> {
    const signatures = signaturesIn(session);
    const asked = signatures.find((each) => each.id === id) ?? signatures[0];
    // A batch itself has no page: each of its documents has one, once it is stamped.
    if (asked !== undefined && session.started.documents !== null && asked.id !== id) return null;
    return { signed: asked === undefined ? null : await collect(asked) };
  }

  /** @param asked id that led to the session */
  async function verify(sessionId: string, asked = sessionId): Promise<Verification | null> {
    const trusts = ({ status }: { readonly status: string }) => status === 'COMPLETE';
    const { state } = await sessions.load(sessionId, { trusts });
    if (state.status === 'NONE') {
      const signedIn = await signedAs(sessionId);
      return signedIn === null ? null : verify(signedIn, sessionId);
    }
    if (state.status !== 'COMPLETE' || state.started.kind !== 'SIGNATURE') return null;
    const found = await signatureOf(state, asked);
    if (found === null) return null;
    const { signed } = found;
    if (signed === null) {
      const { endResult, completedAt } = state.outcome;
      const outcome = { name: 'outcome', result: 'failed', endResult, completedAt } as const;
      return { kind: 'unsigned', sessionId, checks: [outcome] };
    }
    const checks = await runChecks(signed);
    const { started, certificate, stamped } = signed;
    return {
      kind: 'signed',
      sessionId: signed.sessionId,
      checks,
      verdict: verdictOf(checks),
      file: await fileOf(signed),
      signer: certificate === null ? null : certificates.subjectOf(certificate),
      organization: representedIn(started),
      relyingPartyName: displayedName(started),
      fileName: started.fileName ?? stamped?.fileName ?? null,
    };
  }

  return (id) => (UUID.test(id) ? verify(id) : Promise.resolve(null));
}

function bytesOf(certificate: string): Buffer | null {
  return certificate === FORGOTTEN ? null : Buffer.from(certificate, 'base64');
}

function verdictOf(checks: readonly Check[]): Verdict {
  if (checks.some(({ result }) => result === 'failed')) return 'invalid';
  // A missing timestamp does not leave the verdict open: the log has a time, too.
  if (checks.some(({ name, result }) => result === 'open' && name !== 'timestamp')) {
    return 'undecided';
  }
  const isGood = checks.every((check) => check.name !== 'revocation' || check.now === 'good');
  return isGood ? 'valid' : 'revokedSince';
}

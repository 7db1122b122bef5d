import type { RecordedEvent } from '../../application/ports/eventStore.ts';
import { documentsOf, signaturesIn } from '../../domain/session/batch.ts';
import type {
  CertificateChosen,
  Interaction,
  OnBehalfOf,
  SessionConfirmed,
  SessionEvent,
} from '../../domain/session/events.ts';
import {
  citizenOf,
  type Outcome,
  sessionDecider,
  type StartedSession,
} from '../../domain/session/session.ts';
import { fold } from '../../domain/shared/decider.ts';
import { organizationEtsi, personEtsi } from '../../domain/shared/etsi.ts';
import { viewBy } from '../http/handling.ts';
import { endResultHelp } from '../problems/help/endResultHelp.ts';
import { sessionSchema } from './peopleSchemas.ts';
import { timelineOf } from './timeline.ts';

const viewOf = viewBy(sessionSchema);

const sessionIn = (events: readonly RecordedEvent[]) =>
  fold(
    sessionDecider,
    events.map(({ event }) => event as SessionEvent),
  );

/** Ids of the session's signatures, under which they are stamped; none before it ended with OK. */
export function signatureIdsIn(events: readonly RecordedEvent[]): readonly string[] {
  const session = sessionIn(events);
  return session.status === 'COMPLETE' ? signaturesIn(session).map(({ id }) => id) : [];
}

/**
 * Operators' view of a session, from its events: without link token and secret, verification code,
 * challenges and certificate.
 *
 * @param later events of the session after it ended
 * @returns null without events
 */
export function sessionView(events: readonly RecordedEvent[], later: readonly RecordedEvent[]) {
  const session = sessionIn(events);
  if (session.status === 'NONE') return null;
  const { started } = session;
  const outcome = session.status === 'COMPLETE' ? session.outcome : null;
  return viewOf(started, {
    state: session.status,
    ...outcomeView(outcome),
    relyingPartyUUID: started.relyingPartyId,
    ...whoAnswers(session, outcome),
    onBehalfOf: started.onBehalfOf === null ? null : onBehalfView(started.onBehalfOf),
    interactions: started.interactions.map(interactionView),
    documents: documentViews(started, outcome),
    callbackHost: started.callbackUrl === null ? null : new URL(started.callbackUrl).host,
    timeline: [...timelineOf([...events, ...later])],
  });
}

function outcomeView(outcome: Outcome | null) {
  if (outcome === null) {
    return {
      endResult: null,
      explanation: null,
      refusedInteraction: null,
      interactionTypeUsed: null,
      signature: null,
      cert: null,
      completedAt: null,
    };
  }
  const { endResult, refusedInteraction, completedAt, confirmation, chosen } = outcome;
  return {
    endResult,
    explanation: endResultHelp[endResult],
    refusedInteraction,
    completedAt,
    interactionTypeUsed: confirmation?.interactionTypeUsed ?? null,
    signature:
      confirmation === null || outcome.documents.length > 0 ? null : signatureView(confirmation),
    cert: certificateView(confirmation ?? chosen),
  };
}

function documentViews(started: StartedSession['started'], outcome: Outcome | null) {
  return (documentsOf(started) ?? []).map(({ displayText60, ...document }, index) => {
    const signed = outcome?.documents[index];
    return {
      ...document,
      text: displayText60,
      signature: signed === undefined ? null : signatureView(signed),
    };
  });
}

function signatureView({
  signature: value,
  signatureAlgorithm,
}: Pick<SessionConfirmed['data'], 'signature' | 'signatureAlgorithm'>) {
  return { value, signatureAlgorithm };
}

function certificateView(used: SessionConfirmed['data'] | CertificateChosen['data'] | null) {
  if (used === null) return null;
  return { serial: used.certificateSerial, certificateLevel: used.certificateLevel };
}

/** Citizen of a session, as far as known: requested, claimed, or answered. */
function whoAnswers(session: StartedSession, outcome: Outcome | null) {
  const { started, claimedBy } = session;
  const civilId = citizenOf(session);
  const { documentNumber } = claimedBy ?? started;
  return {
    personEtsi: civilId === null ? null : personEtsi(civilId),
    documentNumber: outcome?.documentNumber ?? documentNumber,
  };
}

function onBehalfView({ register, name, role, rightType }: OnBehalfOf) {
  return { orgEtsi: organizationEtsi(register), orgName: name, role, rightType };
}

function interactionView(interaction: Interaction) {
  const text =
    'displayText60' in interaction ? interaction.displayText60 : interaction.displayText200;
  return { type: interaction.type, text };
}

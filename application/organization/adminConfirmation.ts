import { isAdmin } from '../../domain/representation/representation.ts';
import type { SessionStarted } from '../../domain/session/events.ts';
import { isOf } from '../../domain/session/session.ts';
import { organizationEtsi, personEtsi } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type {
  CitizenReferenceData,
  DeviceReferenceData,
  RelyingPartyData,
} from '../ports/referenceData.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { Sessions } from '../session/sessions.ts';
import type { StartSession } from '../session/startSession.ts';
import { askByPush, findAskableAdmin, questionDigest, type ShownText } from './askByPush.ts';
import type { Representations } from './organizations.ts';

export interface AdminConfirmationDependencies {
  readonly representations: Pick<Representations, 'load'>;
  readonly sessions: Pick<Sessions, 'load'>;
  readonly referenceData: CitizenReferenceData & DeviceReferenceData;
  readonly startSession: StartSession;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** A change of an organization that a relying party asks for and an ADMIN confirms. */
export interface AdminQuestion {
  readonly relyingParty: RelyingPartyData;
  readonly register: string;
  /** Civil id of an ADMIN asked before others; null: none. */
  readonly preferred: string | null;
  /** Change as the ADMIN signs it, its kind first; other facts are another question. */
  readonly facts: readonly string[];
  readonly shown: ShownText;
}

/** An ADMIN's confirmation. */
export interface AdminConfirmation {
  readonly sessionId: string;
  /** Civil id of the ADMIN. */
  readonly confirmedBy: string;
  /** ISO 8601. */
  readonly confirmedAt: string;
}

/** The time a confirmation counts in, ms: nobody expects the change long after. */
const VALID_MS = 24 * 60 * 60_000;

/**
 * Asks an ADMIN by push, in a session of the relying party.
 *
 * @throws Refusal CONFLICT without an ADMIN who can be asked; RATE_LIMITED and others of the session
 */
export async function askForConfirmation(
  dependencies: AdminConfirmationDependencies,
  question: AdminQuestion,
  contextOf: (correlationId: string) => CommandContext,
): Promise<SessionStarted['data']> {
  const { representations, referenceData, startSession, clock, randomness } = dependencies;
  const { relyingParty, register, preferred, shown } = question;
  const { state: representation } = await representations.load(register);
  const now = clock.now().toISOString();
  const civilId = await findAskableAdmin(referenceData, { representation, preferred }, now);
  const sessionId = randomness.timeOrderedUuid();
  const lines = signedLines(question, { civilId, sessionId });
  return askByPush(startSession, { relyingParty, civilId, sessionId, lines, shown }, contextOf);
}

/**
 * Expects that in this session somebody who still is an ADMIN confirmed exactly this, lately.
 *
 * @throws Refusal SESSION_NOT_FOUND, SESSION_NOT_COMPLETE; CONFLICT when the ADMIN refused, has lost the right, or
 * confirmed long ago
 */
export async function expectConfirmation(
  { representations, sessions, clock }: AdminConfirmationDependencies,
  question: AdminQuestion,
  sessionId: string,
): Promise<AdminConfirmation> {
  const { state } = await sessions.load(sessionId);
  const { relyingPartyId } = question.relyingParty;
  if (state.status === 'NONE' || !isOf(state, relyingPartyId)) {
    throw new Refusal('SESSION_NOT_FOUND');
  }
  if (state.status !== 'COMPLETE') throw new Refusal('SESSION_NOT_COMPLETE');
  const { endResult, confirmation, completedAt } = state.outcome;
  if (confirmation === null) {
    throw new Refusal('CONFLICT', {
      detail: `The ADMIN did not confirm: ${endResult}. Ask again without sessionId.`,
    });
  }
  const { civilId } = confirmation;
  const asked = questionDigest(signedLines(question, { civilId, sessionId }));
  if (state.started.digest !== asked) {
    throw new Refusal('SESSION_NOT_FOUND', {
      detail: 'Something else was confirmed in this session. Ask again without sessionId.',
    });
  }
  const now = clock.now();
  if (Date.parse(completedAt) + VALID_MS <= now.getTime()) {
    throw new Refusal('CONFLICT', {
      detail: 'The ADMIN confirmed more than a day ago. Ask again without sessionId.',
    });
  }
  const { state: representation } = await representations.load(question.register);
  if (isAdmin(representation, civilId, now.toISOString())) {
    return { sessionId, confirmedBy: civilId, confirmedAt: completedAt };
  }
  throw new Refusal('CONFLICT', {
    detail:
      'The person who confirmed is no longer an ADMIN of the organization. Ask again without sessionId.',
  });
}

/** Text whose digest the ADMIN signs; the session's id makes it unique, and unknown before the session starts. */
function signedLines(
  { relyingParty, register, facts }: AdminQuestion,
  { civilId, sessionId }: { readonly civilId: string; readonly sessionId: string },
): readonly string[] {
  const [title = '', ...rest] = facts;
  return [
    ...[title, organizationEtsi(register), ...rest],
    ...[relyingParty.relyingPartyId, personEtsi(civilId), sessionId],
  ];
}

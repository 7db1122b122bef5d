import type { SessionStarted } from '../../domain/session/events.ts';
import { isAdmin } from '../../domain/representation/representation.ts';
import { organizationEtsi, personEtsi } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import { askByPush, findAskableAdmin, questionDigest } from '../organization/askByPush.ts';
import type { Organizations, Representations } from '../organization/organizations.ts';
import type { Clock } from '../ports/clock.ts';
import type {
  CitizenReferenceData,
  DeviceReferenceData,
  RelyingPartyData,
} from '../ports/referenceData.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { Sessions } from '../session/sessions.ts';
import type { StartSession } from '../session/startSession.ts';
import type { SealIdentity } from './sealPreconditions.ts';

export interface SealConfirmationDependencies {
  readonly organizations: Pick<Organizations, 'load'>;
  readonly representations: Pick<Representations, 'load'>;
  readonly sessions: Pick<Sessions, 'load'>;
  readonly referenceData: CitizenReferenceData & DeviceReferenceData;
  readonly startSession: StartSession;
  /** @param confirmedIn session in which an ADMIN confirmed */
  readonly issue: (
    register: string,
    context: CommandContext,
    confirmedIn: string,
  ) => Promise<SealIdentity>;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** A seal certificate a relying party asks for. */
export interface SealCertificateWish {
  readonly relyingParty: RelyingPartyData;
  readonly register: string;
  /** Session in which an ADMIN confirmed; null: an ADMIN is yet to be asked. */
  readonly sessionId: string | null;
}

/** ASKED: an ADMIN of the organization decides in that session of the relying party. */
export type SealCertificateReply =
  | { readonly kind: 'ISSUED'; readonly identity: SealIdentity }
  | { readonly kind: 'ASKED'; readonly session: SessionStarted['data'] };

/**
 * Issues a seal certificate for a relying party, once an ADMIN of the organization has confirmed by push.
 *
 * @throws Refusal ORG_NOT_FOUND, ORG_NOT_ACTIVE; CONFLICT without an ADMIN who can be asked, or when the ADMIN refused
 * or has lost the right; SESSION_NOT_FOUND, SESSION_NOT_COMPLETE
 */
export type RequestSealCertificate = (
  wish: SealCertificateWish,
  contextOf: (correlationId: string) => CommandContext,
) => Promise<SealCertificateReply>;

/** Expects that the relying party may seal for the organization. @throws Refusal ORG_NOT_FOUND, SEAL_NOT_ALLOWED */
export async function expectSealsFor(
  organizations: Pick<Organizations, 'load'>,
  { sealsFor }: Pick<RelyingPartyData, 'sealsFor'>,
  register: string,
): Promise<void> {
  if (sealsFor.includes(register)) return;
  const { state } = await organizations.load(register);
  if (state.status === 'NONE') throw new Refusal('ORG_NOT_FOUND');
  throw new Refusal('SEAL_NOT_ALLOWED');
}

/** Text whose digest the ADMIN signs; the session's id makes it unique, and unknown before the session starts. */
function confirmationText(
  { relyingParty, register }: SealCertificateWish,
  { civilId, sessionId }: { readonly civilId: string; readonly sessionId: string },
): readonly string[] {
  return [
    ...['SEAL CERTIFICATE', organizationEtsi(register), relyingParty.relyingPartyId],
    ...[personEtsi(civilId), sessionId],
  ];
}

export function createSealConfirmation(
  dependencies: SealConfirmationDependencies,
): RequestSealCertificate {
  const { organizations, representations, sessions, referenceData, clock } = dependencies;

  async function activeName(register: string): Promise<string> {
    const { state } = await organizations.load(register);
    if (state.status === 'NONE') throw new Refusal('ORG_NOT_FOUND');
    if (state.status !== 'ACTIVE') throw new Refusal('ORG_NOT_ACTIVE');
    return state.name;
  }

  async function ask(
    wish: SealCertificateWish,
    contextOf: (correlationId: string) => CommandContext,
  ): Promise<SessionStarted['data']> {
    const { relyingParty, register } = wish;
    const name = await activeName(register);
    const { state: representation } = await representations.load(register);
    const asking = { representation, preferred: null };
    const civilId = await findAskableAdmin(referenceData, asking, clock.now().toISOString());
    const sessionId = dependencies.randomness.timeOrderedUuid();
    const lines = confirmationText(wish, { civilId, sessionId });
    const shown = `Тамганы гэрчилгээ олгох: ${name}`;
    const question = { relyingParty, civilId, sessionId, lines, shown };
    return askByPush(dependencies.startSession, question, contextOf);
  }

  async function expectConfirmed(wish: SealCertificateWish, sessionId: string): Promise<void> {
    const { state } = await sessions.load(sessionId);
    const { relyingPartyId } = wish.relyingParty;
    if (state.status === 'NONE' || state.started.relyingPartyId !== relyingPartyId) {
      throw new Refusal('SESSION_NOT_FOUND');
    }
    if (state.status !== 'COMPLETE') throw new Refusal('SESSION_NOT_COMPLETE');
    const { endResult, confirmation } = state.outcome;
    if (confirmation === null) {
      throw new Refusal('CONFLICT', {
        detail: `The ADMIN did not confirm: ${endResult}. Ask again without sessionId.`,
      });
    }
    const { civilId } = confirmation;
    const isAsked =
      state.started.digest === questionDigest(confirmationText(wish, { civilId, sessionId }));
    if (!isAsked) throw new Refusal('SESSION_NOT_FOUND');
    const { state: representation } = await representations.load(wish.register);
    if (isAdmin(representation, civilId, clock.now().toISOString())) return;
    throw new Refusal('CONFLICT', {
      detail:
        'The person who confirmed is no ADMIN of the organization any more. Ask again without sessionId.',
    });
  }

  return async (wish, contextOf) => {
    const { register, sessionId } = wish;
    if (sessionId === null) return { kind: 'ASKED', session: await ask(wish, contextOf) };
    await expectConfirmed(wish, sessionId);
    const identity = await dependencies.issue(register, contextOf(sessionId), sessionId);
    return { kind: 'ISSUED', identity };
  };
}

import type { SessionStarted } from '../../domain/session/events.ts';
import { isAdmin, type Representation } from '../../domain/representation/representation.ts';
import { sha256 } from '../../domain/shared/digest.ts';
import { organizationEtsi, personEtsi } from '../../domain/shared/etsi.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Organizations, Representations } from '../organization/organizations.ts';
import type { Clock } from '../ports/clock.ts';
import type {
  CitizenReferenceData,
  DeviceReferenceData,
  RelyingPartyData,
} from '../ports/referenceData.ts';
import type { Randomness } from '../ports/randomness.ts';
import { findOwner } from '../session/sessionOwner.ts';
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
 * @throws Refusal ORG_NOT_FOUND, ORG_NOT_ACTIVE; CONFLICT without an ADMIN who can be asked, or when the ADMIN refused or
 * is none any more; SESSION_NOT_FOUND, SESSION_NOT_COMPLETE
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

const asked = { kind: 'SIGNATURE', certificateLevel: 'QUALIFIED' } as const;

const personOf = (civilId: string) =>
  ({ type: 'person', identifier: { type: 'civilId', civilId } }) as const;

/** Text whose digest the ADMIN signs; the session's id makes it unique, and unknown before the session starts. */
function confirmationDigest(
  { relyingParty, register }: SealCertificateWish,
  { civilId, sessionId }: { readonly civilId: string; readonly sessionId: string },
): string {
  const lines = [
    ...['SEAL CERTIFICATE', organizationEtsi(register), relyingParty.relyingPartyId],
    ...[personEtsi(civilId), sessionId],
  ];
  return sha256(Buffer.from(lines.join('\n'))).toString('base64');
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

  /** The first ADMIN with a phone that can sign. */
  async function findAdmin(representation: Representation): Promise<string> {
    const now = clock.now().toISOString();
    for (const civilId of Array.from(representation.rights.keys()).sort()) {
      if (!isAdmin(representation, civilId, now)) continue;
      try {
        await findOwner(referenceData, { ...asked, target: personOf(civilId) }, now);
        return civilId;
      } catch (error) {
        if (!isRefusal(error)) throw error;
      }
    }
    throw new Refusal('CONFLICT', {
      detail:
        'No ADMIN of the organization can be asked on a phone: ask the operators of the service to issue the ' +
        'seal certificate.',
    });
  }

  async function ask(
    wish: SealCertificateWish,
    contextOf: (correlationId: string) => CommandContext,
  ): Promise<SessionStarted['data']> {
    const { relyingParty, register } = wish;
    const name = await activeName(register);
    const civilId = await findAdmin((await representations.load(register)).state);
    const sessionId = dependencies.randomness.uuid();
    const digest = confirmationDigest(wish, { civilId, sessionId });
    const shown = Array.from(`Тамганы гэрчилгээ олгох: ${name}`).slice(0, 60).join('');
    return dependencies.startSession(
      {
        relyingParty,
        generation: 'G1',
        nested: null,
        flow: 'NOTIFICATION',
        target: personOf(civilId),
        content: { kind: asked.kind, digest, hashType: 'SHA256' },
        relyingPartyName: relyingParty.name,
        certificateLevel: asked.certificateLevel,
        interactions: [{ type: 'displayTextAndPIN', displayText60: shown }],
        vcType: null,
        callbackUrl: null,
        fileName: null,
        subsystem: null,
        onBehalfOf: null,
        sessionId,
      },
      contextOf,
    );
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
    const isAsked = state.started.digest === confirmationDigest(wish, { civilId, sessionId });
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

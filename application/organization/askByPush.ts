import type { SessionStarted } from '../../domain/session/events.ts';
import { adminsOf, type Representation } from '../../domain/representation/representation.ts';
import { sha256 } from '../../domain/shared/digest.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import { shortenedTo } from '../../domain/shared/shortenedText.ts';
import type { CommandContext } from '../handleCommand.ts';
import type {
  CitizenReferenceData,
  DeviceReferenceData,
  RelyingPartyData,
} from '../ports/referenceData.ts';
import { findOwner } from '../session/sessions.ts';
import type { StartSession } from '../session/startSession.ts';

/** A question to a person about an organization, answered with a qualified signature. */
export interface Question {
  /** In whose name it is asked. */
  readonly relyingParty: RelyingPartyData;
  /** Of the person asked. */
  readonly civilId: string;
  readonly sessionId: string;
  /** Text whose digest the person signs; the session's id in it makes it unique. */
  readonly lines: readonly string[];
  readonly shown: ShownText;
}

/** Text on the phone: a template that shortens names, so that whom and what it is about stays visible. */
export type ShownText = (text: ReturnType<typeof shortenedTo>) => string;

const asked = { kind: 'SIGNATURE', certificateLevel: 'QUALIFIED' } as const;

const personOf = (civilId: string) =>
  ({ type: 'person', identifier: { type: 'civilId', civilId } }) as const;

/** Digest signed by whoever answers, base64. */
export function questionDigest(lines: readonly string[]): string {
  return sha256(Buffer.from(lines.join('\n'))).toString('base64');
}

/** @throws Refusal NO_SUITABLE_CERTIFICATE and others when the person cannot answer on a phone */
export async function expectAskable(
  referenceData: CitizenReferenceData & DeviceReferenceData,
  civilId: string,
  now: string,
): Promise<void> {
  await findOwner(referenceData, { ...asked, target: personOf(civilId) }, now);
}

/** Asks by push, in a signature session; one that was started already is kept. */
export function askByPush(
  startSession: StartSession,
  { relyingParty, civilId, sessionId, lines, shown }: Question,
  contextOf: (sessionId: string) => CommandContext,
): Promise<SessionStarted['data']> {
  return startSession(
    {
      relyingParty,
      generation: 'G1',
      nested: null,
      flow: 'NOTIFICATION',
      target: personOf(civilId),
      content: { kind: asked.kind, digest: questionDigest(lines), hashType: 'SHA256' },
      relyingPartyName: relyingParty.name,
      certificateLevel: asked.certificateLevel,
      interactions: [
        { type: 'confirmationMessage', displayText200: shown(shortenedTo(200)) },
        { type: 'displayTextAndPIN', displayText60: shown(shortenedTo(60)) },
      ],
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

/**
 * Finds an ADMIN with a phone that can sign.
 *
 * @param preferred civil id of an ADMIN asked before others; null: none
 * @throws Refusal CONFLICT without one
 */
export async function findAskableAdmin(
  referenceData: CitizenReferenceData & DeviceReferenceData,
  {
    representation,
    preferred,
  }: {
    readonly representation: Representation;
    readonly preferred: string | null;
  },
  now: string,
): Promise<string> {
  const admins = adminsOf(representation, now);
  for (const civilId of [...admins].sort((one) => (one === preferred ? -1 : 0))) {
    try {
      await expectAskable(referenceData, civilId, now);
      return civilId;
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
  }
  throw new Refusal('CONFLICT', {
    detail:
      'No ADMIN of the organization can be asked on a phone. Ask the operators of the service instead.',
  });
}

import {
  authCodeOf,
  expectFresh,
  expectGenuine,
  parseSignedDeviceLink,
} from '../../domain/session/deviceLink.ts';
import { isAddressedTo } from '../../domain/session/session.ts';
import { equalSecrets } from '../../domain/shared/digest.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { DeviceData } from '../ports/referenceData.ts';
import type { SessionTokens } from '../ports/sessionTokens.ts';
import { linkTypes, signedPart } from '../session/signedLink.ts';
import { answererOf, loadSessionFor } from './sessionAnswer.ts';
import {
  claimSession,
  type PhoneAbilities,
  type ReadSessionDependencies,
  type SessionDetails,
} from './readSession.ts';

export interface OpenDeviceLinkDependencies extends ReadSessionDependencies {
  readonly sessionTokens: Pick<SessionTokens, 'sessionIdOf'>;
}

/**
 * Opens the session of a signed link for the phone that scanned it: the link must be signed by the relying party for
 * this session and, as a QR code, within the last 20 seconds. Opening claims the session.
 *
 * @param link as scanned, byte for byte
 * @throws Refusal DEVICE_LINK_INVALID, DEVICE_LINK_EXPIRED, CLIENT_TOO_OLD, SESSION_NOT_FOUND, SESSION_ALREADY_CLAIMED,
 * SESSION_ALREADY_COMPLETE, SESSION_EXPIRED
 */
export async function openDeviceLink(
  dependencies: OpenDeviceLinkDependencies,
  device: DeviceData,
  { link, can }: { readonly link: string; readonly can: PhoneAbilities },
  contextOf: (sessionId: string) => CommandContext,
): Promise<SessionDetails> {
  const { sessions, sessionTokens, clock } = dependencies;
  const parsed = parseSignedDeviceLink(link);
  if (parsed === null) throw new Refusal('DEVICE_LINK_INVALID');
  const sessionId = sessionTokens.sessionIdOf(parsed.sessionToken);
  if (sessionId === null) throw new Refusal('SESSION_NOT_FOUND');
  const by = answererOf(device);
  const { started } = await loadSessionFor(
    sessions,
    sessionId,
    (each) =>
      isAddressedTo(each, by) &&
      equalSecrets(each.started.deviceLink?.sessionToken ?? '', parsed.sessionToken),
  );
  const { linkedSession, sessionSecret } = signedPart(started);
  expectGenuine(parsed, {
    sessionType: linkTypes[started.kind],
    authCode: authCodeOf(linkedSession, sessionSecret, parsed),
  });
  const now = clock.now();
  expectFresh(parsed, new Date(started.startedAt), now);
  const { deviceLinkType } = parsed;
  const claim = { by, can, deviceLinkType, now };
  return claimSession(dependencies, started, claim, contextOf(sessionId));
}

import { randomChallenge } from './crypto.ts';
import type { Requests } from './requests.ts';
import type {
  DeviceLinkSession,
  Interaction,
  NotificationSession,
  RequestedLevel,
} from './types.ts';
import { readDeviceLinkSession, readNotificationSession } from './wire.ts';

export interface AuthOptions {
  /** The least level acceptable; default: the client's `defaultCertificateLevel`. */
  readonly certificateLevel?: RequestedLevel;
  /** Where the phone returns to in a same-device flow: https and on the relying party's allowlist. */
  readonly callbackUrl?: string;
}

/** Starts authentications. Each makes a fresh random challenge and attaches it to the returned session. */
export interface Auth {
  /** @param id `PNOMN-<civil id>`, a civil id or a registration number */
  notificationByEtsi(
    id: string,
    interactions: readonly Interaction[],
    options?: AuthOptions,
  ): Promise<NotificationSession>;
  notificationByDocument(
    documentNumber: string,
    interactions: readonly Interaction[],
    options?: AuthOptions,
  ): Promise<NotificationSession>;
  deviceLinkAnonymous(
    interactions: readonly Interaction[],
    options?: AuthOptions,
  ): Promise<DeviceLinkSession>;
  deviceLinkByEtsi(
    id: string,
    interactions: readonly Interaction[],
    options?: AuthOptions,
  ): Promise<DeviceLinkSession>;
}

export function createAuth(requests: Requests): Auth {
  async function start(
    path: string,
    interactions: readonly Interaction[],
    options: AuthOptions | undefined,
  ) {
    const rpChallenge = randomChallenge();
    const answer = await requests.create(`/authentication/${path}`, interactions, {
      ...options,
      extra: { rpChallenge },
    });
    return { answer, rpChallenge };
  }

  async function notification(
    path: string,
    interactions: readonly Interaction[],
    options: AuthOptions | undefined,
  ): Promise<NotificationSession> {
    const { answer, rpChallenge } = await start(`notification/${path}`, interactions, options);
    return readNotificationSession(answer, rpChallenge);
  }

  async function deviceLink(
    path: string,
    interactions: readonly Interaction[],
    options: AuthOptions | undefined,
  ): Promise<DeviceLinkSession> {
    const { answer, rpChallenge } = await start(`device-link/${path}`, interactions, options);
    return readDeviceLinkSession(answer, rpChallenge);
  }

  return {
    notificationByEtsi: (id, interactions, options) =>
      notification(`etsi/${encodeURIComponent(id)}`, interactions, options),
    notificationByDocument: (documentNumber, interactions, options) =>
      notification(`document/${encodeURIComponent(documentNumber)}`, interactions, options),
    deviceLinkAnonymous: (interactions, options) => deviceLink('anonymous', interactions, options),
    deviceLinkByEtsi: (id, interactions, options) =>
      deviceLink(`etsi/${encodeURIComponent(id)}`, interactions, options),
  };
}

import { randomChallenge } from './crypto.ts';
import type { Requests, SessionOptions, SessionRequest } from './requests.ts';
import type { DeviceLinkSession, NotificationSession, Shown } from './types.ts';
import { readDeviceLinkSession, readNotificationSession } from './wire.ts';

/** Options of an authentication. */
export type AuthOptions = SessionOptions;

/**
 * Starts authentications (specification, Authentication). Each makes a fresh random challenge of 64 bytes and attaches it
 * to the returned session. All reject with the errors of {@link ClientError}: 404 is an {@link ApiError} with code
 * `PERSON_NOT_FOUND` or `NO_SUITABLE_CERTIFICATE`.
 */
export interface Auth {
  /**
   * Authentication by push to the citizen's phone.
   *
   * @param id `PNOMN-<civil id>`, a civil id or a registration number
   */
  notificationByEtsi(
    id: string,
    interactions: Shown,
    options?: AuthOptions,
  ): Promise<NotificationSession>;
  /** Authentication by push to one phone. */
  notificationByDocument(
    documentNumber: string,
    interactions: Shown,
    options?: AuthOptions,
  ): Promise<NotificationSession>;
  /**
   * Authentication by link or QR code, for whoever opens it first; the result names the citizen.
   */
  deviceLinkAnonymous(interactions: Shown, options?: AuthOptions): Promise<DeviceLinkSession>;
  /** Authentication by link or QR code that only this citizen's phone can open. */
  deviceLinkByEtsi(
    id: string,
    interactions: Shown,
    options?: AuthOptions,
  ): Promise<DeviceLinkSession>;
  /** Authentication by link or QR code that only this phone can open. */
  deviceLinkByDocument(
    documentNumber: string,
    interactions: Shown,
    options?: AuthOptions,
  ): Promise<DeviceLinkSession>;
}

type Target = Pick<SessionRequest, 'route' | 'params'>;

export function createAuth(requests: Requests): Auth {
  async function start(
    flow: SessionRequest['flow'],
    { route, params = {} }: Target,
    interactions: Shown,
    options: AuthOptions = {},
  ) {
    const rpChallenge = randomChallenge();
    const started = await requests.start({
      flow,
      protocol: 'ACSP_V2',
      route: `/authentication/${flow}/${route}`,
      params,
      interactions,
      challengeOrDigest: rpChallenge,
      hashAlgorithm: 'SHA-512',
      flatInput: { rpChallenge },
      options,
    });
    return { started, rpChallenge };
  }

  async function notification(
    ...[target, interactions, options]: [Target, Shown, AuthOptions?]
  ): Promise<NotificationSession> {
    const { started, rpChallenge } = await start('notification', target, interactions, options);
    return readNotificationSession(started, rpChallenge);
  }

  async function deviceLink(
    ...[target, interactions, options]: [Target, Shown, AuthOptions?]
  ): Promise<DeviceLinkSession> {
    const { started, rpChallenge } = await start('device-link', target, interactions, options);
    return readDeviceLinkSession(started, rpChallenge);
  }

  return {
    notificationByEtsi: (id, ...rest) => notification(byEtsi(id), ...rest),
    notificationByDocument: (number, ...rest) => notification(byDocument(number), ...rest),
    deviceLinkAnonymous: (...rest) => deviceLink({ route: 'anonymous' }, ...rest),
    deviceLinkByEtsi: (id, ...rest) => deviceLink(byEtsi(id), ...rest),
    deviceLinkByDocument: (number, ...rest) => deviceLink(byDocument(number), ...rest),
  };
}

/** Path and parameters of a route that names a person. */
export function byEtsi(id: string): Target {
  return { route: 'etsi/{id}', params: { id } };
}

/** Path and parameters of a route that names a device. */
export function byDocument(documentNumber: string): Target {
  return { route: 'document/{documentNumber}', params: { documentNumber } };
}

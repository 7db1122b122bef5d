import { digest } from './crypto.ts';
import type { Requests } from './requests.ts';
import type {
  DeviceLinkSession,
  HashType,
  Interaction,
  NotificationSession,
  RequestedLevel,
} from './types.ts';
import { readDeviceLinkSession, readNotificationSession } from './wire.ts';

export interface SignOptions {
  /** The least level acceptable; default: the client's `defaultCertificateLevel`. */
  readonly certificateLevel?: RequestedLevel;
  /** Where the phone returns to in a same-device flow: https and on the relying party's allowlist. */
  readonly callbackUrl?: string;
  /** How the digest was made; default `SHA256`. */
  readonly hashType?: HashType;
}

/** Starts signatures over a digest. `rpChallenge` of the returned session is the empty string. */
export interface Sign {
  /** @param digestB64 raw digest, base64; its length must be that of `hashType` */
  digestByEtsi(
    id: string,
    digestB64: string,
    interactions: readonly Interaction[],
    options?: SignOptions,
  ): Promise<NotificationSession>;
  digestByDocument(
    documentNumber: string,
    digestB64: string,
    interactions: readonly Interaction[],
    options?: SignOptions,
  ): Promise<NotificationSession>;
  /** Signs the digest of `text` (UTF-8). */
  textByEtsi(
    id: string,
    text: string,
    interactions: readonly Interaction[],
    options?: SignOptions,
  ): Promise<NotificationSession>;
  /** The same-device flow: opens the app on the phone the browser runs on. */
  deviceLinkByDocument(
    documentNumber: string,
    digestB64: string,
    interactions: readonly Interaction[],
    options?: SignOptions,
  ): Promise<DeviceLinkSession>;
}

export function createSign(requests: Requests): Sign {
  function start(
    path: string,
    digestB64: string,
    interactions: readonly Interaction[],
    { hashType = 'SHA256', ...options }: SignOptions = {},
  ) {
    return requests.create(`/signature/${path}`, interactions, {
      ...options,
      extra: { digest: digestB64, hashType },
    });
  }

  const byEtsi: Sign['digestByEtsi'] = async (id, digestB64, interactions, options) =>
    readNotificationSession(
      await start(`notification/etsi/${encodeURIComponent(id)}`, digestB64, interactions, options),
      '',
    );

  return {
    digestByEtsi: byEtsi,
    digestByDocument: async (documentNumber, digestB64, interactions, options) => {
      const path = `notification/document/${encodeURIComponent(documentNumber)}`;
      return readNotificationSession(await start(path, digestB64, interactions, options), '');
    },
    textByEtsi: (id, text, interactions, options) =>
      byEtsi(
        id,
        digest(text, options?.hashType ?? 'SHA256').toString('base64'),
        interactions,
        options,
      ),
    deviceLinkByDocument: async (documentNumber, digestB64, interactions, options) => {
      const path = `device-link/document/${encodeURIComponent(documentNumber)}`;
      return readDeviceLinkSession(await start(path, digestB64, interactions, options), '');
    },
  };
}

import { viewBy } from '../http/handling.ts';
import { z } from 'zod';
import { eventsAsOf } from '../../application/history/asOf.ts';
import type { IssuedClientSecret } from '../../application/openIdConnect/administerClients.ts';
import type { EventStore } from '../../application/ports/eventStore.ts';
import type { OidcClientEvent } from '../../domain/oidcClient/events.ts';
import {
  type ClientKey,
  oidcClientSettings,
  settingsIn,
} from '../../domain/oidcClient/settings.ts';
import { partOf } from '../../domain/shared/settings.ts';
import { oidcClientDecider } from '../../domain/oidcClient/oidcClient.ts';
import { fold } from '../../domain/shared/decider.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { streamOf } from '../../domain/shared/streams.ts';
import type { ListedOidcClient } from '../../projections/oidcClients.ts';

/** Path parameters below a client; anything but a UUID is not found. */
export const oidcClientParams = z.object({
  clientId: z.string().transform((text) => {
    if (!z.guid().safeParse(text).success) throw new Refusal('OIDC_CLIENT_NOT_FOUND');
    return text.toLowerCase();
  }),
});

const member = z.string().max(2000).optional();

/** A public key of a client (RFC 7517, RFC 7518 §6, RFC 8037 §2). */
export const clientKey = z.strictObject({
  kty: z.enum(['EC', 'RSA', 'OKP']),
  kid: member,
  use: member,
  alg: member,
  crv: member,
  x: member,
  y: member,
  n: member,
  e: member,
  'x5t#S256': member,
});

/** Converts a client's key to its stored form, without absent members. */
export function storedKey(key: z.output<typeof clientKey>): ClientKey {
  return Object.fromEntries(
    Object.entries(key).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

const { name, nameEn, ...others } = partOf(oidcClientSettings, 'answer');

/** A client of the OpenID Connect provider, without secrets. */
export const oidcClientView = z.strictObject({
  clientId: z.string(),
  relyingPartyUUID: z.string(),
  name,
  nameEn,
  active: z.boolean(),
  ...others,
  keys: z.array(clientKey),
  registeredAt: z.iso.datetime(),
});

/** Secret of a client, shown once; null: the client has none. */
export const issuedClientSecretView = z.strictObject({
  clientId: z.string(),
  clientSecret: z.string().nullable(),
});

export function issuedClientSecret({ clientId, clientSecret }: IssuedClientSecret) {
  return { clientId, clientSecret };
}

const clientBy = viewBy(oidcClientView);

export function oidcClientBody(client: ListedOidcClient): z.output<typeof oidcClientView> {
  const { settings, relyingPartyId: relyingPartyUUID } = client;
  const keys = settings.keys.map((key) => clientKey.parse(key));
  return clientBy({ ...client, ...settingsIn(settings) }, { relyingPartyUUID, keys });
}

/**
 * Reads a client from the log. @param at null: now @throws Refusal OIDC_CLIENT_NOT_FOUND when it
 * did not exist then
 */
export async function readOidcClient(
  eventStore: Pick<EventStore, 'read'>,
  clientId: string,
  at: Date | null = null,
): Promise<z.output<typeof oidcClientView>> {
  const events = await eventsAsOf(eventStore, streamOf('oidcClient', clientId), at);
  const client = fold(
    oidcClientDecider,
    events.map(({ event }) => event as OidcClientEvent),
  );
  if (client.status === 'NONE') throw new Refusal('OIDC_CLIENT_NOT_FOUND');
  return oidcClientBody({ ...client, active: client.status === 'ACTIVE' });
}

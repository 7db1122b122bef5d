/**
 * Environment variables of a relying party's program, as read by the client library's examples
 * (client/examples/settings.ts).
 *
 * @param party.api public origin of the relying-party API
 */
export function clientEnvironment(party: {
  readonly api: string;
  readonly id: string;
  readonly name: string;
  readonly secret: string;
}): Readonly<Record<string, string>> {
  const { api, id, name, secret } = party;
  return { RP_API_BASE: api, RP_UUID: id, RP_NAME: name, RP_SECRET: secret };
}

/**
 * Environment variables of an OpenID Connect client, with the names usual in libraries' examples.
 *
 * @param client.secret null: it has none
 */
export function oidcEnvironment(client: {
  readonly issuer: string;
  readonly clientId: string;
  readonly secret: string | null;
}): Readonly<Record<string, string>> {
  const { issuer, clientId, secret } = client;
  return {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: clientId,
    ...(secret !== null && { OIDC_CLIENT_SECRET: secret }),
  };
}

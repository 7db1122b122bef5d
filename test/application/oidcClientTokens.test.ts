import { expect } from 'chai';
import {
  editOidcClient,
  registerOidcClient,
  rotateOidcClientSecret,
} from '../../application/openIdConnect/administerClients.ts';
import { createOidcClients } from '../../application/openIdConnect/aggregates.ts';
import type { OidcClientSettings } from '../../domain/oidcClient/settings.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { memoryOidcState } from '../support/doubles/memoryOidcState.ts';
import { causedBy, givenInMemory } from '../support/given/inMemory.ts';
import { clientSettings } from '../support/oidc/oidcLogin.ts';

const context = causedBy('operator', 'cli', 'c');
const relyingPartyId = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
const otherParty = '7f9619ff-8b86-4d01-b42d-00cf4fc964ff';
const parties = [relyingPartyId, otherParty];

/** A client with a token of a citizen and one of its own. @param settings of it */
async function world(settings: Partial<OidcClientSettings> = {}) {
  const parts = givenInMemory();
  const { clock, randomness, progress } = parts;
  const clients = createOidcClients(parts.stores);
  const state = memoryOidcState();
  const dependencies = {
    clients,
    state,
    clock,
    randomness,
    progress,
    takeNames: () => Promise.resolve(),
    referenceData: {
      relyingParty: (id: string) =>
        Promise.resolve(parties.includes(id) ? ({ active: true } as never) : null),
    },
    allowsLoopback: true,
    issuer: () => 'https://id.example.mn',
  };
  const register = (sector: string) =>
    registerOidcClient(
      dependencies,
      { ...clientSettings, ...settings, sector, relyingPartyId, clientId: randomness.uuid() },
      context,
    );
  const { clientId } = await register(relyingPartyId);
  const kinds = ['AccessToken', 'ClientCredentials'] as const;
  for (const kind of kinds) {
    await state.put({
      kind,
      id: kind,
      payload: {},
      civilId: kind === 'AccessToken' ? '110000000001' : null,
      clientId,
      grantId: null,
      uid: null,
      expiresAt: new Date(clock.now().getTime() + 3_600_000),
    });
  }
  /** Kinds of the tokens that there still are. */
  async function left() {
    const found = await Promise.all(kinds.map((kind) => state.find(kind, kind, clock.now())));
    return kinds.filter((_, index) => found[index] !== null);
  }
  return { dependencies, clients, clientId, left, register };
}

describe('Tokens of an OpenID Connect client', () => {
  it('that it got for itself end with the secret, those of citizens do not', async () => {
    const { dependencies, clientId, left } = await world();
    await rotateOidcClientSecret(dependencies, clientId, context);
    expect(await left()).to.deep.equal(['AccessToken']);
  });

  it('stay when a link makes no new secret', async () => {
    const { dependencies, clientId, left } = await world();
    const opened = { tokenHash: 'of no link', countsSince: null };
    const refused = await rejection(
      rotateOidcClientSecret(dependencies, clientId, context, opened),
    );
    expect(refused).to.include({ code: 'NOT_FOUND' });
    expect(await left()).to.have.length(2);
  });

  it('end with another profile, also where the process dies right after the change', async () => {
    const { dependencies, clients, clientId, left } = await world({
      authMethod: 'private_key_jwt',
      keys: [{ kty: 'EC', crv: 'P-256', x: 'x'.repeat(43), y: 'y'.repeat(43) }],
      redirectUris: ['https://portal.example.mn/callback'],
      scopes: ['openid'],
    });
    const edit = (changes: Partial<OidcClientSettings>, over = dependencies) =>
      editOidcClient(over, { clientId, changes }, context);
    await edit({ nameEn: 'Another', securityProfile: 'standard' });
    expect(await left()).to.have.length(2);
    const dying = {
      ...clients,
      handle: async (...given: Parameters<typeof clients.handle>) => {
        await clients.handle(...given);
        throw new Error('Killed.');
      },
    };
    const killed = edit({ securityProfile: 'fapi2' }, { ...dependencies, clients: dying });
    expect(await rejection(killed)).to.include({ message: 'Killed.' });
    expect(await left()).to.deep.equal([]);
  });

  it('are made under no sector that is called like another relying party', async () => {
    const { register } = await world();
    expect(await rejection(register(otherParty))).to.include({ code: 'CONFLICT' });
    await register('portal.example.mn');
  });
});

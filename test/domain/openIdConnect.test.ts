import { expect } from 'chai';
import { consentDecider } from '../../domain/consent/consent.ts';
import type { OidcClientRegistered } from '../../domain/oidcClient/events.ts';
import { platformPermissions } from '../../application/ports/platformTokens.ts';
import { oidcClientDecider } from '../../domain/oidcClient/oidcClient.ts';
import { platformScopesFor } from '../../domain/oidcClient/platformScopes.ts';
import { fold } from '../../domain/shared/decider.ts';
import type { OpenIdScopeName } from '../../domain/shared/openIdScopes.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import { clientSettings } from '../support/oidc/oidcLogin.ts';

const now = '2026-01-01T00:00:00.000Z';
const registered: OidcClientRegistered['data'] = {
  ...clientSettings,
  clientId: 'a client',
  relyingPartyId: 'a party',
  secretHash: 'aa',
  registeredAt: now,
};
const given = { type: 'OidcClientRegistered', data: registered } as const;

/** Pointers to the faults for which a client is not registered. */
function registrationFaults(
  data: OidcClientRegistered['data'],
  allowsLoopback: boolean,
): readonly string[] {
  const command = { type: 'RegisterOidcClient', registered: data, allowsLoopback } as const;
  try {
    oidcClientDecider.decide(command, oidcClientDecider.initial);
    return [];
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return error.errors.map(({ pointer }) => pointer);
  }
}

describe('A client of the OpenID Connect provider', () => {
  const client = fold(oidcClientDecider, [given]);

  it('is registered once, with addresses the provider can lead to', () => {
    const command = { type: 'RegisterOidcClient', registered, allowsLoopback: true } as const;
    expect(oidcClientDecider.decide(command, oidcClientDecider.initial)).to.deep.equal([given]);
    expect(() => oidcClientDecider.decide(command, client)).to.throw(/CONFLICT/);
    const inProduction = { ...command, allowsLoopback: false };
    expect(() => oidcClientDecider.decide(inProduction, oidcClientDecider.initial)).to.throw(
      /INVALID_REQUEST/,
    );
  });

  it('names every fault of its settings', () => {
    const faulty: OidcClientRegistered['data'] = {
      ...registered,
      // F3: no letters that look alike in a name that citizens are shown.
      name: 'Kh\u0430n',
      nameEn: 'Khan\u200b',
      redirectUris: ['http://portal.example.mn/', 'https://a.example/#x'],
      scopes: [],
      authMethod: 'private_key_jwt',
      keys: [],
    };
    expect(registrationFaults(faulty, true)).to.deep.equal([
      ...['/name', '/nameEn', '/redirectUris/0', '/redirectUris/1', '/scopes', '/keys'],
    ]);
  });

  it('F7: has addresses with a host that browsers find', () => {
    const faultsOf = (uri: string, allowsLoopback: boolean) => {
      const named = { ...registered, redirectUris: [uri], postLogoutRedirectUris: [] };
      return registrationFaults(named, allowsLoopback);
    };
    for (const host of ['a.example', 'A.Example.', 'жишээ.мн', '[2001:db8::1]', '192.0.2.1:8443']) {
      expect(faultsOf(`https://${host}/cb`, false), host).to.deep.equal([]);
    }
    for (const host of ['localhost:3000', '127.0.0.1', '[::1]:9', '[::ffff:127.0.0.1]']) {
      expect(faultsOf(`http://${host}/cb`, true), host).to.deep.equal([]);
      expect(faultsOf(`http://${host}/cb`, false), host).to.deep.equal(['/redirectUris/0']);
    }
    for (const host of [
      ...['::1', '2001:db8::1', '[fe80::1%25eth0]', '[::1', 'a..example', 'a.example:99999'],
      ...['256.0.0.1', '127.1', 'user@a.example', 'a.example:', '[a]'],
    ]) {
      expect(faultsOf(`https://${host}/cb`, true), host).to.deep.equal(['/redirectUris/0']);
    }
  });

  it('is an app with addresses that lead to it alone, and without a secret (RFC 8252 §7, §8.5)', () => {
    const faultsOf = (uri: string, authMethod: 'none' | 'client_secret_basic' = 'none') => {
      const app = { ...registered, applicationType: 'native', authMethod } as const;
      const named = { ...app, redirectUris: [uri], postLogoutRedirectUris: [] };
      return registrationFaults(named, false);
    };
    for (const uri of [
      ...['http://127.0.0.1/cb', 'http://127.0.0.1:8400/cb', 'http://[::1]/cb', 'http://[::1]'],
      ...['com.example.app:/cb', 'mn.example.my-app:/', 'https://app.example.mn/cb'],
    ]) {
      expect(faultsOf(uri), uri).to.deep.equal([]);
    }
    for (const uri of [
      ...['http://localhost/cb', 'http://192.0.2.1/cb', 'http://127.0.0.1.example/cb'],
      ...['http://127.0.0.1@example.mn/', 'http://127.0.0.1:99999/', 'https://127.0.0.1/cb'],
      ...['app:/cb', 'com.example.app://cb', 'Com.example.app:/cb', 'com.example.app:cb'],
      ...['javascript:alert(1)', 'http://127.0.0.1/cb#x'],
    ]) {
      expect(faultsOf(uri), uri).to.deep.equal(['/redirectUris/0']);
    }
    expect(faultsOf('com.example.app:/cb', 'client_secret_basic')).to.deep.equal(['/authMethod']);
  });

  it('is an API with an audience, scopes that citizens read, and credentials', () => {
    const scope = { name: 'orders.read', description: 'Read', descriptionMn: 'Унших' };
    const faultsOf = (changes: Partial<OidcClientRegistered['data']>) => {
      const api = { ...registered, audience: 'https://a.example/', apiScopes: [scope] };
      return registrationFaults({ ...api, redirectUris: [], ...changes }, false);
    };
    const others = { postLogoutRedirectUris: [] };
    expect(faultsOf(others)).to.deep.equal([]);
    expect(faultsOf({ ...others, audience: 'urn:example:orders' })).to.deep.equal([]);
    for (const [changes, ...faults] of [
      [{ audience: 'http://localhost/' }, '/audience'],
      [{ audience: 'https://a.example/#x' }, '/audience'],
      [{ audience: 'orders' }, '/audience'],
      [{ apiScopes: [] }, '/apiScopes'],
      [{ apiScopes: [scope, scope] }, '/apiScopes'],
      [{ apiScopes: [{ ...scope, name: 'openid' }] }, '/apiScopes/0/name'],
      [{ apiScopes: [{ ...scope, name: 'a#b' }] }, '/apiScopes/0/name'],
      [{ apiScopes: [{ ...scope, descriptionMn: '' }] }, '/apiScopes/0/descriptionMn'],
      [{ authMethod: 'none' }, '/authMethod'],
      [{ accessTokenSeconds: 301 }, '/accessTokenSeconds'],
      [{ accessTokenFormat: 'opaque', accessTokenSeconds: 3601 }, '/accessTokenSeconds'],
      [{ apis: ['https://b.example/'] }, '/apis'],
      [
        { accessTokenFormat: 'opaque', exchanges: [{ api: 'b', from: 'c', to: 'd' }] },
        ...(['/exchanges/0/api', '/exchanges/0/from'] as const),
      ],
      [
        {
          exchanges: [
            { api: '0f6f5f0a-3c1e-4c55-8f0b-4f6d2f6c9a10', from: 'orders.read', to: 'd' },
          ],
        },
        '/accessTokenFormat',
      ],
      [{ audience: null, apiScopes: [], deviceFlow: true }],
      [{ audience: null, apiScopes: [], backchannelTokenDeliveryMode: 'poll' }],
      [{ audience: null, apiScopes: [] }, '/redirectUris'],
    ] as const) {
      expect(faultsOf({ ...others, ...changes }), JSON.stringify(changes)).to.deep.equal(faults);
    }
  });

  it('F1: has scopes of the platform API only with an organization', () => {
    const registration = (organization: string | null, scopes: readonly OpenIdScopeName[]) =>
      ({
        type: 'RegisterOidcClient',
        registered: { ...registered, organization, scopes: ['openid', ...scopes] },
        allowsLoopback: true,
      }) as const;
    const decided = (...[organization, scopes]: Parameters<typeof registration>) =>
      oidcClientDecider.decide(registration(organization, scopes), oidcClientDecider.initial);
    expect(decided(null, ['profile'])).to.have.length(1);
    expect(decided('5512345', ['documents.read', 'directory.read'])).to.have.length(1);
    for (const name of platformPermissions) {
      expect(() => decided(null, [name]), name).to.throw(Refusal, /INVALID_REQUEST/);
    }
  });

  it('F1: is given by a citizen what is theirs to give', () => {
    const scopes = ['openid', 'documents.read', 'directory.read'] as const;
    const given = (register: string | null, ofClient: string | null) =>
      platformScopesFor(scopes, { register, ofClient });
    expect(given(null, null)).to.deep.equal(['openid']);
    expect(given('1', null)).to.deep.equal(['openid']);
    expect(given(null, '1')).to.deep.equal(['openid', 'documents.read']);
    expect(given('2', '1')).to.deep.equal(['openid', 'documents.read']);
    expect(given('1', '1')).to.deep.equal(scopes);
  });

  it('takes keys that are strong enough, and public', () => {
    const faultsOf = (key: Readonly<Record<string, string>>): readonly string[] => {
      const keyed = { ...registered, authMethod: 'private_key_jwt', keys: [key] } as const;
      return registrationFaults(keyed, true);
    };
    const coordinate = 'x'.repeat(43);
    const onP256 = { kty: 'EC', crv: 'P-256', x: coordinate, y: coordinate };
    const rsa = (bits: number) => ({ kty: 'RSA', n: 'n'.repeat(Math.ceil(bits / 6)), e: 'AQAB' });
    expect(faultsOf(onP256)).to.deep.equal([]);
    expect(faultsOf(rsa(2048))).to.deep.equal([]);
    const onEd25519 = { kty: 'OKP', crv: 'Ed25519', x: coordinate };
    expect(faultsOf(onEd25519)).to.deep.equal([]);
    for (const weak of [
      ...[rsa(1024), { ...onP256, d: coordinate }, { ...onP256, crv: 'P-192' }, { kty: 'EC' }],
      ...[
        { ...onP256, x: 'x' },
        { kty: 'oct', k: 'secret' },
        { ...onEd25519, crv: 'X25519' },
        { ...onEd25519, kty: 'EC', y: coordinate },
        { ...onEd25519, d: coordinate },
      ],
    ]) {
      expect(faultsOf(weak), JSON.stringify(weak)).to.deep.equal(['/keys/0']);
    }
  });

  it('is held to FAPI 2.0 by settings that can meet it', () => {
    const key = { kty: 'EC', crv: 'P-256', x: 'x'.repeat(43), y: 'y'.repeat(43) };
    const able: OidcClientRegistered['data'] = {
      ...registered,
      redirectUris: ['https://bank.example.mn/cb'],
      scopes: ['openid', 'profile', 'offline_access'],
      authMethod: 'private_key_jwt',
      keys: [key],
    };
    for (const securityProfile of ['fapi2', 'fapi2_message_signing'] as const) {
      const faultsOf = (changes: Partial<OidcClientRegistered['data']>) => {
        const named = { ...able, securityProfile, ...changes };
        return registrationFaults(named, true);
      };
      expect(faultsOf({})).to.deep.equal([]);
      for (const authMethod of ['client_secret_basic', 'client_secret_post', 'none'] as const) {
        expect(faultsOf({ authMethod, keys: [] }), authMethod).to.deep.equal(['/authMethod']);
      }
      const insecure = ['http://127.0.0.1:9/cb'];
      expect(faultsOf({ redirectUris: insecure })).to.deep.equal(['/redirectUris/0']);
      expect(faultsOf({ idTokenSignedResponseAlg: 'RS256' })).to.deep.equal([
        '/idTokenSignedResponseAlg',
      ]);
      expect(faultsOf({ keys: [key, { ...key, alg: 'RS256' }] })).to.deep.equal(['/keys/1']);
      expect(faultsOf({ scopes: ['openid', 'documents.read'] })).to.deep.equal(['/scopes']);
      const api = {
        audience: 'https://a.example/',
        apiScopes: [{ name: 'orders.read', description: 'Read', descriptionMn: 'Унших' }],
        accessTokenFormat: 'opaque',
      } as const;
      const other = '0f6f5f0a-3c1e-4c55-8f0b-4f6d2f6c9a10';
      const exchanges = [{ api: other, from: 'orders.read', to: 'stock.read' }];
      expect(faultsOf(api)).to.deep.equal([]);
      expect(faultsOf({ ...api, exchanges })).to.deep.equal(['/exchanges']);
    }
  });

  it('does nothing twice', () => {
    const deactivate = { type: 'DeactivateOidcClient', now } as const;
    const deactivated = oidcClientDecider.decide(deactivate, client);
    expect(deactivated).to.have.length(1);
    const after = fold(oidcClientDecider, [given, ...deactivated]);
    expect(oidcClientDecider.decide(deactivate, after)).to.deep.equal([]);
    const edit = { type: 'EditOidcClient', changes: {}, now, allowsLoopback: true } as const;
    expect(oidcClientDecider.decide(edit, client)).to.deep.equal([]);
  });

  it('neither gets nor loses a secret by being edited', () => {
    const changes = { authMethod: 'none' } as const;
    const edit = { type: 'EditOidcClient', changes, now, allowsLoopback: true } as const;
    expect(() => oidcClientDecider.decide(edit, client)).to.throw(/INVALID_REQUEST/);
  });
});

describe('A consent', () => {
  const parties = { civilId: '110000000001', clientId: 'a client', now };
  const give = { ...parties, type: 'GiveConsent', scopes: ['openid', 'profile'] } as const;

  it('adds up, is given once, and withdrawn whole', () => {
    const events = consentDecider.decide(give, consentDecider.initial);
    const consented = fold(consentDecider, events);
    expect(consented.scopes).to.deep.equal(['openid', 'profile']);
    expect(consentDecider.decide(give, consented)).to.deep.equal([]);
    const more = consentDecider.decide({ ...give, scopes: ['openid', 'email'] }, consented);
    expect(fold(consentDecider, [...events, ...more]).scopes).to.deep.equal([
      ...['openid', 'profile', 'email'],
    ]);
    const withdraw = { ...parties, type: 'WithdrawConsent' } as const;
    const withdrawn = consentDecider.decide(withdraw, consented);
    const after = fold(consentDecider, [...events, ...withdrawn]);
    expect(after.scopes).to.deep.equal([]);
    expect(consentDecider.decide(withdraw, after)).to.deep.equal([]);
  });
});

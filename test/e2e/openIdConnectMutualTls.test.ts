import { execFileSync } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import * as openid from 'openid-client';
import { type ScriptedPhones, startScriptedPhones } from '../../apps/phone/scripted.ts';
import {
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { knownVerifier, requestOf, secureRedirectUri } from '../support/oidc/fapiClient.ts';
import { createOidcBrowser } from '../support/oidc/oidcBrowser.ts';
import { discoverAs, goThroughLogin, registerClient } from '../support/oidc/oidcLogin.ts';

const citizen = '110000000001';
const HEADER = 'x-client-cert';

/** A certificate that its owner signed. */
function selfSigned(): X509Certificate {
  const pem = execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
      ...['-keyout', '/dev/null', '-subj', '/CN=bank.example.mn', '-days', '1'],
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  return new X509Certificate(pem);
}

const thumbprintOf = ({ raw }: X509Certificate) =>
  createHash('sha256').update(raw).digest('base64url');

const headerOf = (certificate: X509Certificate) => encodeURIComponent(certificate.toString());

describe('A client that authenticates by its certificate (RFC 8705)', function () {
  this.timeout(60_000);
  const own = selfSigned();
  const foreign = selfSigned();
  let demo: DemoInstallation;
  let phones: ScriptedPhones;
  let clientId: string;
  let metadata: openid.ServerMetadata;

  before(async () => {
    demo = await startDemoInstallation({
      SVC_TRUSTED_PROXIES: '127.0.0.1',
      SVC_CLIENT_CERTIFICATE_HEADER: HEADER,
      SVC_OIDC_MTLS_BASE_URL: 'https://mtls.example.mn',
    });
    phones = startScriptedPhones([await demo.enrol(citizen)]);
    const { kty = '', crv = '', x = '', y = '' } = own.publicKey.export({ format: 'jwk' });
    const issued = await registerClient(demo, {
      securityProfile: 'fapi2',
      authMethod: 'self_signed_tls_client_auth',
      redirectUris: [secureRedirectUri],
      scopes: ['openid', 'profile'],
      keys: [{ kty, crv, x, y, 'x5t#S256': thumbprintOf(own) }],
    });
    clientId = issued.clientId;
    metadata = (await discoverAs(demo.service.origin, issued)).serverMetadata();
  });

  after(async () => {
    await phones.stop();
    await demo.stop();
  });

  /** The client behind a proxy that passes its certificates on. */
  function presenting(...certificates: readonly X509Certificate[]): openid.Configuration {
    const how = openid.TlsClientAuth();
    // Without the aliases, where nobody listens.
    const { mtls_endpoint_aliases: aliases, ...here } = metadata;
    expect(aliases).to.be.an('object');
    const configuration = new openid.Configuration(here, clientId, {}, how);
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the tests are without TLS
    openid.allowInsecureRequests(configuration);
    configuration[openid.customFetch] = (url, options) => {
      const headers = new Headers(options.headers);
      for (const each of certificates) headers.append(HEADER, headerOf(each));
      return fetch(url, { ...options, headers } as RequestInit);
    };
    return configuration;
  }

  const checks = {
    pkceCodeVerifier: knownVerifier,
    expectedState: 'a-state',
    expectedNonce: 'a-nonce',
  };

  async function callbackOf(configuration: openid.Configuration): Promise<URL> {
    const url = await openid.buildAuthorizationUrlWithPAR(configuration, await requestOf());
    return goThroughLogin(createOidcBrowser(), url, { citizen }, secureRedirectUri);
  }

  it('gets tokens that are bound to it, and good with it alone', async () => {
    const configuration = presenting(own);
    const tokens = await openid.authorizationCodeGrant(
      configuration,
      await callbackOf(configuration),
      checks,
    );
    const known = await openid.tokenIntrospection(configuration, tokens.access_token);
    expect(known).to.have.nested.property('cnf.x5t#S256', thumbprintOf(own));
    const subject = tokens.claims()?.sub ?? '';
    const info = await openid.fetchUserInfo(configuration, tokens.access_token, subject);
    expect(info).to.have.property('family_name');
    for (const others of [[], [foreign], [own, foreign]]) {
      const stolen = openid.fetchUserInfo(presenting(...others), tokens.access_token, subject);
      expect(await rejection(stolen)).to.be.instanceOf(Error);
    }
    const documents = await fetch(`${demo.service.origin}/documents`, {
      headers: { authorization: `Bearer ${tokens.access_token}`, [HEADER]: headerOf(own) },
    });
    expect(documents.status).to.equal(401);
  });

  it('finds in discovery where it presents it (§5)', () => {
    expect(metadata.mtls_endpoint_aliases).to.deep.equal({
      token_endpoint: 'https://mtls.example.mn/oidc/token',
      introspection_endpoint: 'https://mtls.example.mn/oidc/introspect',
      revocation_endpoint: 'https://mtls.example.mn/oidc/revoke',
      pushed_authorization_request_endpoint: 'https://mtls.example.mn/oidc/par',
      backchannel_authentication_endpoint: 'https://mtls.example.mn/oidc/backchannel',
      device_authorization_endpoint: 'https://mtls.example.mn/oidc/device_authorization',
      userinfo_endpoint: 'https://mtls.example.mn/oidc/userinfo',
    });
  });

  it('is refused without it, with another one, and with two', async () => {
    for (const certificates of [[], [foreign], [own, foreign]]) {
      const asked = openid.buildAuthorizationUrlWithPAR(
        presenting(...certificates),
        await requestOf(),
      );
      expect(await rejection(asked)).to.include({ error: 'invalid_client' });
    }
    const callback = await callbackOf(presenting(own));
    const taken = openid.authorizationCodeGrant(presenting(foreign), callback, checks);
    expect(await rejection(taken)).to.include({ error: 'invalid_client' });
  });

  it('exchanges no token for another one (RFC 8693), which would be bound to nothing', async () => {
    const { kty = '', crv = '', x = '', y = '' } = own.publicKey.export({ format: 'jwk' });
    const apiScopes = [{ name: 'go', description: 'Go', descriptionMn: 'Эрх' }];
    const target = await registerClient(demo, { audience: 'urn:example:target', apiScopes });
    const acting = await registerClient(demo, {
      authMethod: 'self_signed_tls_client_auth',
      keys: [{ kty, crv, x, y, 'x5t#S256': thumbprintOf(own) }],
      audience: 'urn:example:acting',
      apiScopes,
      accessTokenFormat: 'opaque',
      exchanges: [{ api: target.clientId, from: 'go', to: 'go' }],
    });
    const answer = await fetch(`${demo.service.origin}/oidc/token`, {
      method: 'POST',
      headers: { [HEADER]: headerOf(own) },
      body: new URLSearchParams({
        client_id: acting.clientId,
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: 'a token',
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        resource: 'urn:example:target',
      }),
    });
    expect(await answer.json()).to.include({ error: 'unauthorized_client' });
  });

  it('is believed by nobody but a trusted proxy: its header alone is no certificate', async () => {
    const open = await startDemoInstallation({ SVC_CLIENT_CERTIFICATE_HEADER: HEADER });
    try {
      const { kty = '', crv = '', x = '', y = '' } = own.publicKey.export({ format: 'jwk' });
      const issued = await registerClient(open, {
        authMethod: 'self_signed_tls_client_auth',
        keys: [{ kty, crv, x, y, 'x5t#S256': thumbprintOf(own) }],
      });
      const answer = await fetch(`${open.service.origin}/oidc/par`, {
        method: 'POST',
        headers: { [HEADER]: headerOf(own) },
        body: new URLSearchParams({ client_id: issued.clientId, response_type: 'code' }),
      });
      expect(answer.status).to.equal(401);
    } finally {
      await open.stop();
    }
  });
});

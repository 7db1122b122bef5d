import { expect } from 'chai';
import { caCertificateRoutes } from '../../api/platform/caCertificates.ts';
import type { Route } from '../../api/http/route.ts';
import { discoveryRoute } from '../../api/platform/discovery.ts';
import { NotReady } from '../../application/ports/faults.ts';
import { healthRoutes } from '../../api/platform/health.ts';
import { createMetrics } from '../../infrastructure/telemetry/metrics.ts';
import { startTestServer } from '../support/http/http.ts';
import { relyingPartyWorld } from '../support/worlds/relyingPartyWorld.ts';

describe('CA certificates', () => {
  it('are served where issued certificates point to', async () => {
    const [root, personal, organization, next] = [1, 2, 3, 4].map((byte) => Buffer.from([byte]));
    if (!root || !personal || !organization || !next) throw new Error('There are too few.');
    const routes = caCertificateRoutes(['personal', 'organization', 'personal-2'], {
      root,
      issuing: [personal, organization, next],
    });
    const { server, origin } = await startTestServer(routes);
    const served = async (name: string) => {
      const response = await fetch(`${origin}/ca/${name}.cer`);
      expect(response.headers.get('content-type')).to.equal('application/pkix-cert');
      return Buffer.from(await response.arrayBuffer());
    };
    expect(await served('root')).to.deep.equal(root);
    expect(await served('personal')).to.deep.equal(personal);
    expect(await served('organization')).to.deep.equal(organization);
    expect(await served('personal-2')).to.deep.equal(next);
    await server.stop(100);
  });
});

describe('Health', () => {
  async function ask(path: string, options: Partial<Parameters<typeof healthRoutes>[0]> = {}) {
    const metrics = createMetrics();
    const routes = healthRoutes({
      version: '1.2.3',
      checks: {},
      projections: () => [],
      timeoutMs: 50,
      exposeMetrics: metrics.expose,
      ...options,
    });
    const { server, origin } = await startTestServer(routes, { metrics });
    await fetch(`${origin}/livez`);
    await fetch(`${origin}/nowhere`, { method: 'PROPFIND' });
    const response = await fetch(origin + path);
    const text = await response.text();
    await server.stop(100);
    return { status: response.status, text };
  }

  it('is live while the process turns, and says in which version', async () => {
    expect(await ask('/livez')).to.deep.equal({
      status: 200,
      text: '{"status":"live","version":"1.2.3"}',
    });
  });

  it('names the dependency that is down or does not answer in time, and nothing of the cause', async () => {
    const { status, text } = await ask('/readyz', {
      checks: {
        database: () => Promise.reject(new Error('password wrong')),
        redis: () => new Promise(() => undefined),
        keyVault: () => Promise.resolve(),
      },
    });
    expect(status).to.equal(503);
    expect(JSON.parse(text)).to.deep.equal({
      status: 'notReady',
      dependencies: { database: 'down', redis: 'down', keyVault: 'up' },
      projections: [],
    });
  });

  it('says why, where the reason is made to be read', async () => {
    const { status, text } = await ask('/readyz', {
      checks: { clock: () => Promise.reject(new NotReady('The clock is 120.0 s ahead.')) },
    });
    expect(status).to.equal(503);
    expect(JSON.parse(text)).to.deep.include({
      dependencies: { clock: 'down' },
      reasons: { clock: 'The clock is 120.0 s ahead.' },
    });
  });

  it('is degraded and names what waits for an operator', async () => {
    const { status, text } = await ask('/readyz', {
      leftBehind: () =>
        Promise.resolve({
          parked: new Map([['sessions', 2]]),
          deadLetters: new Map([['pushSessionToPhone', 1]]),
        }),
    });
    expect(status).to.equal(200);
    expect(JSON.parse(text)).to.deep.equal({
      status: 'degraded',
      dependencies: {},
      projections: [],
      leftBehind: {
        parked: [{ projection: 'sessions', rows: 2 }],
        deadLetters: [{ reactor: 'pushSessionToPhone', events: 1 }],
      },
    });
  });

  it('is degraded, not down, while a party outside is unavailable', async () => {
    const { status, text } = await ask('/readyz', {
      checks: { database: () => Promise.resolve() },
      partners: { dan: () => Promise.reject(new Error('away')), other: () => Promise.resolve() },
    });
    expect(status).to.equal(200);
    expect(JSON.parse(text)).to.deep.include({
      status: 'degraded',
      dependencies: { database: 'up', dan: 'degraded', other: 'up' },
    });
  });

  it('is ready when all answer, degraded when a projection does not run', async () => {
    const projection = { name: 'sessions', running: true, lagSeconds: 0.1 };
    const fine = await ask('/readyz', {
      checks: { database: () => Promise.resolve() },
      projections: () => [projection],
    });
    expect(fine.status).to.equal(200);
    const stopped = await ask('/readyz', {
      projections: () => [{ ...projection, running: false }],
    });
    expect(stopped.status).to.equal(200);
    expect(JSON.parse(stopped.text)).to.include({ status: 'degraded' });
  });

  it('is not ready once the process is told to end, which answers meanwhile and keeps no connection', async () => {
    const { server, origin } = await startTestServer(
      healthRoutes({
        version: '1.2.3',
        checks: { database: () => Promise.resolve() },
        projections: () => [],
        exposeMetrics: () => Promise.resolve({ contentType: 'text/plain', text: '' }),
        isEnding: () => server.isEnding(),
      }),
    );
    expect((await fetch(`${origin}/readyz`)).status).to.equal(200);

    const drained = server.drain(1);
    const response = await fetch(`${origin}/readyz`);

    expect(response.status).to.equal(503);
    expect(response.headers.get('connection')).to.equal('close');
    expect(await response.json()).to.deep.include({
      status: 'notReady',
      dependencies: {},
      reasons: { process: 'This process is shutting down. Ask another one.' },
    });
    await drained;
    await server.stop(100);
  });

  it('exposes request durations with the names, labels and buckets agreed', async () => {
    const { status, text } = await ask('/metrics');
    expect(status).to.equal(200);
    const labels = 'http_request_method="GET",http_route="/livez",http_response_status_code="200"';
    const bounds = [...text.matchAll(/_bucket\{le="([^"]+)",http_request_method="GET"/g)];
    expect(bounds.map(([, le]) => le).join(' ')).to.equal(
      '0.005 0.01 0.025 0.05 0.075 0.1 0.25 0.5 0.75 1 2.5 5 7.5 10 +Inf',
    );
    expect(text).to.include('# TYPE http_server_request_duration_seconds histogram');
    expect(text).to.include(`http_server_request_duration_seconds_count{${labels}} 1`);
    expect(text).to.include(
      'http_request_method="_OTHER",http_route="unmatched",http_response_status_code="404"',
    );
    expect(text).to.include('resilience_in_flight_requests 1');
    expect(text).to.include('resilience_load_shed_total 0');
  });
});

describe('The metrics', () => {
  it('hold nothing of what they measured once they are stopped', async () => {
    const metrics = createMetrics();
    metrics.watchProjections(
      () => expect.fail('The projections are still held.'),
      () => [],
    );
    metrics.stop();
    expect((await metrics.expose()).text.trim()).to.equal('');
  });

  it('count outcomes, appends, retries and show projections', async () => {
    const metrics = createMetrics({ defaults: false });
    metrics.sessionCompleted('AUTHENTICATION', 'NOTIFICATION', 'OK');
    metrics.sessionCompleted('SIGNATURE', 'DEVICE_LINK', 'USER_REFUSED');
    // Signs nothing.
    metrics.sessionCompleted('CERTIFICATE_CHOICE', 'DEVICE_LINK', 'USER_REFUSED');
    metrics.appended(3, 0.002);
    metrics.retried('push');
    metrics.watchRevocationLists(() => Promise.resolve(new Map([['root', new Date(5000)]])));
    metrics.externalRequest('push', 'notify', 'ok', 0.1);
    metrics.watchProjections(
      () => [{ name: 'sessions', lagSeconds: 1.5, running: false }],
      () => ['host:1'],
    );
    metrics.reactorFailed('pushSessionToPhone');
    metrics.watchLeftBehind(() =>
      Promise.resolve({
        parked: new Map([['sessions', 2]]),
        deadLetters: new Map([['pushSessionToPhone', 1]]),
      }),
    );
    const { text } = await metrics.expose();
    for (const line of [
      'reactor_failures_total{reactor="pushSessionToPhone"} 1',
      'projection_parked{projection="sessions"} 2',
      'reactor_dead_letters{reactor="pushSessionToPhone"} 1',
      'logins_total{method="NOTIFICATION",result="OK"} 1',
      'documents_signed_total{rail="EID",result="USER_REFUSED"} 1',
      'eventstore_appended_events_total 3',
      'eventstore_append_duration_seconds_bucket{le="0.0025"} 1',
      'resilience_retry_total{name="push"} 1',
      'external_request_duration_seconds_count{system="push",operation="notify",status="ok"} 1',
      'revocation_list_next_update_timestamp_seconds{authority="root"} 5',
      'projection_lag_seconds{projection="sessions"} 1.5',
      'projection_running{projection="sessions"} 0',
      'projection_active{process="host:1"} 1',
    ]) {
      expect(text).to.include(line);
    }
  });
});

describe('Discovery', () => {
  /** A route that is listed elsewhere, or nowhere. */
  function listedUnder(name: string, origin: string | null): Route {
    const [route] = relyingPartyWorld().routes;
    if (route === undefined) throw new Error('There is no route.');
    return { ...route, name, path: `/${name}`, listedUnder: origin };
  }

  it('lists exactly the given routes, as addresses', async () => {
    const { routes } = relyingPartyWorld();
    const { server, origin } = await startTestServer([
      discoveryRoute({
        version: '1.0.0',
        rpApiBase: 'https://eid.example',
        deviceLinkBase: 'https://eid.example/device-link',
        appScheme: 'tamga',
        schemeName: 'smart-id',
        issuingCertificates: [Buffer.from('der')],
        maxPdfBytes: 26_214_400,
        listed: [
          ...routes,
          listedUnder('verify', 'https://verify.example'),
          listedUnder('own', null),
        ],
      }),
    ]);
    const response = await fetch(`${origin}/.well-known/eid`);
    const document = (await response.json()) as Record<string, unknown>;
    await server.stop(100);
    expect(document['rp_api_base']).to.equal('https://eid.example');
    const endpoints = document['endpoints'] as Record<string, string>;
    expect(Object.keys(endpoints)).to.have.length(routes.length + 1);
    expect(endpoints['verify']).to.equal('https://verify.example/verify');
    expect(document).to.have.nested.property(
      'endpoints.session',
      'https://eid.example/v3/session/{sessionId}',
    );
    expect(document['issuingCertificates']).to.deep.equal(['ZGVy']);
    expect(document).to.deep.include({
      schemeName: 'smart-id',
      signatureProtocols: ['ACSP_V2', 'RAW_DIGEST_SIGNATURE'],
      certificateLevels: ['ADVANCED', 'QUALIFIED', 'QSCD'],
      hashTypes: ['SHA256', 'SHA384', 'SHA512'],
      verificationCodeTypes: ['alphaNumeric4', 'alphaNumeric5'],
      deviceLinks: { version: '1.0', types: ['QR', 'Web2App', 'App2App'], qrFreshSeconds: 20 },
      hashAlgorithms: ['SHA-256', 'SHA-384', 'SHA-512', 'SHA3-256', 'SHA3-384', 'SHA3-512'],
    });
    expect(document['signatureAlgorithms']).to.have.members([
      ...['ecdsa-with-SHA256', 'ecdsa-with-SHA384', 'ecdsa-with-SHA512'],
      ...['sha256WithRSAEncryption', 'sha384WithRSAEncryption', 'sha512WithRSAEncryption'],
      'rsassa-pss',
    ]);
    expect(document['pdfSigning']).to.deep.equal({ maxInputBytes: 26_214_400 });
  });
});

import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  decodeTimestampResponse,
  encodeTimestampRequest,
} from '../../infrastructure/timestamping/timestampMessages.ts';
import { createRateLimit } from '../../api/bounds/admission.ts';
import { timestampRoute } from '../../api/pki/timestampRoute.ts';
import { demoCitizens } from '../../main/cli/demo.ts';
import {
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { startTestServer } from '../support/http/http.ts';
import { timeServer } from '../support/clocks/timeServer.ts';
import { openssl, printedError, skipWithoutOpenssl } from '../support/programs/openssl.ts';
import { onePage } from '../support/pdf/samplePdf.ts';
import { startTestTimestampAuthority } from '../support/pki/timestampAuthority.ts';

interface Readiness {
  readonly status: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly reasons?: Readonly<Record<string, string>>;
}

describe('The trust services before OpenSSL', function () {
  this.timeout(60_000);
  let demo: DemoInstallation;
  let stop = (): Promise<void> => Promise.resolve();
  let trust: Awaited<ReturnType<DemoInstallation['service']['writeTrustFiles']>>;
  const path = (name: string) => join(demo.directory, name);

  before(async function () {
    await skipWithoutOpenssl(this);
    demo = await startDemoInstallation();
    stop = () => demo.stop();
    trust = await demo.service.writeTrustFiles(demo.directory);
  });

  after(() => stop());

  describe('timestamps', () => {
    it('are issued at /tsa and verify with the root alone', async () => {
      await writeFile(path('content'), randomBytes(1000));
      await openssl(
        ...['ts', '-query', '-sha256', '-cert', '-data', path('content')],
        ...['-out', path('query')],
      );
      const response = await fetch(`${demo.service.origin}/tsa`, {
        method: 'POST',
        headers: { 'content-type': 'application/timestamp-query' },
        body: await readFile(path('query')),
      });
      expect(response.status).to.equal(200);
      await writeFile(path('reply'), Buffer.from(await response.arrayBuffer()));
      const outcome = await openssl(
        ...['ts', '-verify', '-queryfile', path('query'), '-in', path('reply')],
        ...['-CAfile', trust.anchorsPem],
      );
      expect(outcome).to.contain('Verification: OK');
    });
  });

  it('timestamps stop while a time server says that the clock is wrong', async () => {
    const server = await timeServer(2000);
    const wrong = await startDemoInstallation({ SVC_TSA_NTP: server.address });
    try {
      const digest = randomBytes(32);
      const response = await fetch(`${wrong.service.origin}/tsa`, {
        method: 'POST',
        headers: { 'content-type': 'application/timestamp-query' },
        body: encodeTimestampRequest({
          hash: 'SHA256',
          digest,
          policy: null,
          nonce: null,
          certificateWanted: true,
        }),
      });
      expect(decodeTimestampResponse(Buffer.from(await response.arrayBuffer()))).to.deep.equal({
        status: 'refused',
        reason: 'timeNotAvailable',
      });
      const ready = await fetch(`${wrong.service.origin}/readyz`);
      const state = (await ready.json()) as Readiness;
      expect([ready.status, state.status]).to.deep.equal([200, 'degraded']);
      expect(state.dependencies['timestampClock']).to.equal('degraded');
      expect(state.reasons?.['timestampClock']).to.match(
        /^Timestamps are refused: .* 2\.\d s behind 127\.0\.0\.1:\d+/u,
      );
    } finally {
      server.socket.close();
      await wrong.stop();
    }
  });

  describe('revocation lists', () => {
    async function fetchList(address: string, name: string) {
      const response = await fetch(demo.service.origin + address);
      expect(response.status).to.equal(200);
      await writeFile(path(`${name}.der`), Buffer.from(await response.arrayBuffer()));
      await openssl(
        ...['crl', '-inform', 'der', '-in', path(`${name}.der`), '-out', path(`${name}.pem`)],
      );
      const text = await openssl('crl', '-in', path(`${name}.pem`), '-noout', '-crlnumber');
      return { number: BigInt(text.trim().replace('crlNumber=', '')), headers: response.headers };
    }

    /** Verdict of OpenSSL on the certificate with the served revocation lists. */
    async function verify(): Promise<string> {
      await fetchList('/crl', 'personal');
      await fetchList('/crl/root', 'root');
      return openssl(
        ...['verify', '-x509_strict', '-crl_check_all', '-CAfile', trust.anchorsPem],
        ...['-untrusted', trust.intermediatesPem, '-CRLfile', path('personal.pem')],
        ...['-CRLfile', path('root.pem'), path('signer.pem')],
      ).catch(printedError);
    }

    it('show a revocation within ten seconds', async () => {
      const owner = await demo.enrol(demoCitizens[0]?.civilId ?? '');
      const { body } = await demo.create(
        `/signature/notification/document/${owner.documentNumber}`,
        { digest: randomBytes(32).toString('base64'), hashType: 'SHA256' },
      );
      const sessionId = String(body['sessionID']);
      await owner.phone.confirm(await owner.phone.open(sessionId), owner.pin2);
      const { cert } = (await demo.poll(sessionId)).body as { cert: { value: string } };
      const certificate = new X509Certificate(Buffer.from(cert.value, 'base64'));
      await writeFile(path('signer.pem'), certificate.toString());

      await eventually(async () => expect(await verify()).to.contain('signer.pem: OK'));
      const before = await fetchList('/crl', 'personal');
      const headers = { 'if-none-match': before.headers.get('etag') ?? '' };
      const unchanged = await fetch(`${demo.service.origin}/crl`, { headers });
      expect(unchanged.status).to.equal(304);

      await demo.service.deactivateDevice(owner.documentNumber, 1);
      const started = performance.now();
      await eventually(
        async () => expect(await verify()).to.contain('certificate revoked'),
        10_000,
      );
      console.log(`      on the list after ${Math.round(performance.now() - started)} ms`);
      const { number } = await fetchList('/crl', 'personal');
      expect(number > before.number).to.equal(true);
    });

    it('are there for organizations', async () => {
      await fetchList('/crl/org', 'organization');
    });
  });
});

describe('External timestamping authorities', function () {
  this.timeout(60_000);

  it('stamp instead of the built-in one, and are shown on the verification page', async () => {
    const external = await startTestTimestampAuthority();
    const rateLimit = createRateLimit({ name: 'test', redis: null });
    const answer = (request: Uint8Array) => external.authority.answer(request);
    const route = timestampRoute({ answer, rateLimit, requestsPerMinute: 100 });
    const { server, origin } = await startTestServer([route]);
    const directory = await mkdtemp(join(tmpdir(), 'tamga-tsa-'));
    const trustFile = join(directory, 'tsa.pem');
    await writeFile(trustFile, new X509Certificate(external.root).toString());
    const demo = await startDemoInstallation({
      SVC_TSA_URL: `http://127.0.0.1:1/tsa,${origin}/tsa`,
      SVC_TSA_CA: trustFile,
    });
    const owner = await demo.enrol(demoCitizens[0]?.civilId ?? '');
    const document = Buffer.from(onePage());
    const { body } = await demo.create(`/signature/notification/document/${owner.documentNumber}`, {
      digest: createHash('sha256').update(document).digest('base64'),
      hashType: 'SHA256',
    });
    const sessionId = String(body['sessionID']);
    await owner.phone.confirm(await owner.phone.open(sessionId), owner.pin2);
    await demo.poll(sessionId);
    const stamped = await fetch(`${demo.service.origin}/v3/signature/stamp/${sessionId}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${demo.apiSecret}` },
      body: document,
    });
    expect(stamped.status, await stamped.text()).to.equal(200);
    const page = await fetch(`${demo.service.origin}/verify/${sessionId}`);
    expect(await page.text()).to.contain('Timestamp Test Authority');
    const own = await fetch(`${demo.service.origin}/tsa`, { method: 'POST' });
    expect(own.status, 'the built-in authority is not served').to.equal(404);
    await demo.stop();
    await server.stop(100);
    await external.stop();
    await rm(directory, { recursive: true, force: true });
  });
});

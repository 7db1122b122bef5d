import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Unavailable } from '../../application/ports/faults.ts';
import {
  createTimestampClient,
  type TimestampClientOptions,
} from '../../infrastructure/timestamping/timestampClient.ts';
import {
  decodeTimestampRequest,
  encodeTimestampRequest,
  grantingResponse,
  readTimestampToken,
  refusingResponse,
} from '../../infrastructure/timestamping/timestampMessages.ts';
import { manualClock } from '../support/doubles/memoryPorts.ts';
import { openssl, skipWithoutOpenssl } from '../support/programs/openssl.ts';
import { rejection } from '../support/assertions/rejection.ts';
import {
  startTestTimestampAuthority,
  type TestTimestampAuthority,
  testTimestampPolicy,
} from '../support/pki/timestampAuthority.ts';
import { systemRandomness, systemClock } from '../../infrastructure/system.ts';

/** Answer of a scripted authority to one request. */
type Script = (request: Buffer, response: ServerResponse) => Promise<void> | void;

interface ScriptedAuthority {
  readonly url: string;
  calls: number;
  script: Script;
}

const reply = (response: ServerResponse, body: Buffer) =>
  response.writeHead(200, { 'content-type': 'application/timestamp-reply' }).end(body);

describe('The timestamp client', () => {
  const digest = createHash('sha256').update('content').digest();
  const servers: Server[] = [];
  let test: TestTimestampAuthority;

  before(async () => {
    test = await startTestTimestampAuthority();
  });

  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  after(() => test.stop());

  const honest: Script = async (request, response) => {
    reply(response, await test.authority.answer(request));
  };

  async function scripted(script: Script): Promise<ScriptedAuthority> {
    const authority = { url: '', calls: 0, script };
    const server = createServer((request: IncomingMessage, response) => {
      authority.calls += 1;
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => void authority.script(Buffer.concat(chunks), response));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    authority.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tsa`;
    return authority;
  }

  function client(
    authorities: readonly ScriptedAuthority[],
    changes: Partial<TimestampClientOptions> = {},
  ) {
    return createTimestampClient({
      urls: authorities.map(({ url }) => url),
      trust: { anchors: [test.root] },
      policy: null,
      clock: systemClock,
      randomness: systemRandomness,
      timeoutMs: 1000,
      ...changes,
    });
  }

  it('asks for the digest with a nonce and the certificate, and returns the token', async () => {
    const authority = await scripted(honest);
    const token = await client([authority]).timestamp(digest, 'SHA256');
    expect(readTimestampToken(token).digest).to.deep.equal(digest);
    expect(authority.calls).to.equal(1);
  });

  const faults: Readonly<Record<string, Script>> = {
    'an error status': (_, response) => void response.writeHead(500).end(),
    'another media type': async (request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(await test.authority.answer(request));
    },
    'bytes that are no response': (_, response) => void reply(response, randomBytes(80)),
    'an endless answer': (_, response) => void reply(response, Buffer.alloc(1_000_000)),
    'a refusal': (_, response) => void reply(response, refusingResponse('systemFailure')),
    'a token for another digest': async (request, response) => {
      const asked = { ...decodeTimestampRequest(request), digest: randomBytes(32) };
      reply(response, await test.authority.answer(encodeTimestampRequest(asked)));
    },
    'a token for another request': async (request, response) => {
      const asked = { ...decodeTimestampRequest(request), nonce: Buffer.from([1]) };
      reply(response, await test.authority.answer(encodeTimestampRequest(asked)));
    },
    'a token without nonce': async (_, response) => {
      reply(response, grantingResponse(await test.authority.timestamp(digest, 'SHA256')));
    },
    'a token that was changed': async (request, response) => {
      const answer = await test.authority.answer(request);
      answer[answer.length - 1] = (answer[answer.length - 1] ?? 0) ^ 1;
      reply(response, answer);
    },
    'a redirection': (_, response) => void response.writeHead(302, { location: '/' }).end(),
    silence: () => undefined,
  };
  for (const [what, script] of Object.entries(faults)) {
    it(`goes on to the next authority after ${what}`, async () => {
      const faulty = await scripted(script);
      const good = await scripted(honest);
      const timestamps = client([faulty, good], { timeoutMs: 1000 });
      await timestamps.timestamp(digest, 'SHA256');
      await timestamps.timestamp(digest, 'SHA256');
      expect([faulty.calls, good.calls], 'put aside after the first failure').to.deep.equal([1, 2]);
    });
  }

  it('does not accept an authority it does not trust', async () => {
    const stranger = await startTestTimestampAuthority();
    const authority = await scripted(async (request, response) => {
      reply(response, await stranger.authority.answer(request));
    });
    const failure = await rejection(client([authority]).timestamp(digest, 'SHA256'));
    await stranger.stop();
    expect(failure).to.be.instanceOf(Unavailable);
    const { errors } = (failure as Unavailable).cause as AggregateError;
    expect(errors.map(String)).to.deep.equal([
      'TimestampRejected: The certificate has no certification path to a trusted authority.',
    ]);
  });

  it('does not accept a token that says another time', async () => {
    const clock = manualClock(new Date(Date.now() + 10 * 60_000).toISOString());
    const authority = await scripted(honest);
    const failure = await rejection(client([authority], { clock }).timestamp(digest, 'SHA256'));
    expect(failure).to.be.instanceOf(Unavailable);
  });

  it('asks for the policy it was given', async () => {
    const authority = await scripted(honest);
    await client([authority], { policy: testTimestampPolicy }).timestamp(digest, 'SHA256');
    const other = client([authority], { policy: '1.2.3.4' });
    expect(await rejection(other.timestamp(digest, 'SHA256'))).to.be.instanceOf(Unavailable);
  });

  describe('when a quota is used up', () => {
    const limited =
      (headers: Record<string, string>, status = 429): Script =>
      (_, response) =>
        void response.writeHead(status, headers).end();

    it('does not ask again before Retry-After, and does then', async () => {
      const clock = manualClock(new Date().toISOString());
      const authority = await scripted(limited({ 'retry-after': '120' }));
      const timestamps = client([authority], { clock });
      await rejection(timestamps.timestamp(digest, 'SHA256'));
      clock.advance(119_000);
      await rejection(timestamps.timestamp(digest, 'SHA256'));
      expect(authority.calls).to.equal(1);
      authority.script = honest;
      clock.advance(1_000);
      await timestamps.timestamp(digest, 'SHA256');
      expect(authority.calls).to.equal(2);
    });

    for (const [what, headers, status] of [
      ['a date', () => ({ 'retry-after': new Date(Date.now() + 60_000).toUTCString() }), 503],
      ['nothing', () => ({}), 429],
      ['nonsense', () => ({ 'retry-after': 'soon' }), 503],
    ] as const) {
      it(`understands ${status} with ${what} as Retry-After`, async () => {
        const clock = manualClock(new Date().toISOString());
        const authority = await scripted(limited({ ...headers() }, status));
        const timestamps = client([authority], { clock });
        await rejection(timestamps.timestamp(digest, 'SHA256'));
        clock.advance(50_000);
        await rejection(timestamps.timestamp(digest, 'SHA256'));
        expect(authority.calls).to.equal(1);
        clock.advance(12_000);
        await rejection(timestamps.timestamp(digest, 'SHA256'));
        expect(authority.calls).to.equal(2);
      });
    }
  });

  it('asks one that failed lately when there is no other', async () => {
    const authority = await scripted((_, response) => void response.writeHead(500).end());
    const timestamps = client([authority]);
    await rejection(timestamps.timestamp(digest, 'SHA256'));
    authority.script = honest;
    await timestamps.timestamp(digest, 'SHA256');
    expect(authority.calls).to.equal(2);
  });

  it('reports every call and every authority put aside', async () => {
    const statuses: string[] = [];
    const aside: (readonly [string, number])[] = [];
    const busy = await scripted((_, response) => void response.writeHead(429).end());
    const good = await scripted(honest);
    const timestamps = client([busy, good], {
      onCalled: (status) => statuses.push(status),
      onPutAside: (url, seconds) => aside.push([url, seconds]),
    });
    await timestamps.timestamp(digest, 'SHA256');
    expect(statuses).to.deep.equal(['quota', '200']);
    expect(aside).to.deep.equal([[busy.url, 60]]);
  });

  describe('before an authority run by OpenSSL', function () {
    this.timeout(60_000);
    let directory: string;
    const path = (name: string) => join(directory, name);

    before(async function () {
      directory = await mkdtemp(join(tmpdir(), 'tamga-openssl-tsa-'));
      await skipWithoutOpenssl(this);
    });

    after(() => rm(directory, { recursive: true, force: true }));

    const algorithms = {
      'RSA-2048': ['-newkey', 'rsa:2048'],
      'P-384': ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384'],
    };
    for (const [name, newKey] of Object.entries(algorithms)) {
      for (const signer of ['sha256', 'sha512']) {
        for (const certificateHash of ['sha1', 'sha256']) {
          it(`accepts ${name} with ${signer}, certificate named by ${certificateHash}`, async () => {
            await openssl(
              ...['req', '-x509', ...newKey, '-nodes', '-days', '2', '-subj', '/CN=TSA'],
              ...['-keyout', path('key'), '-out', path('cert')],
              ...['-addext', 'extendedKeyUsage=critical,timeStamping'],
            );
            await writeFile(
              path('config'),
              [
                ...['[tsa]', 'default_tsa=t', '[t]', `serial=${path('serial')}`],
                ...['crypto_device=builtin', `signer_cert=${path('cert')}`],
                ...[`signer_key=${path('key')}`, `signer_digest=${signer}`],
                ...['default_policy=1.2.3.4', 'digests=sha256', 'accuracy=secs:1'],
                ...[`ess_cert_id_alg=${certificateHash}`, ''],
              ].join('\n'),
            );
            const authority = await scripted(async (request, response) => {
              await writeFile(path('query'), request);
              await openssl(
                ...['ts', '-reply', '-config', path('config')],
                ...['-queryfile', path('query'), '-out', path('reply')],
              );
              reply(response, await readFile(path('reply')));
            });
            const anchor = new X509Certificate(await readFile(path('cert'))).raw;
            const timestamps = client([authority], {
              trust: { anchors: [anchor] },
              timeoutMs: 10_000,
            });
            const token = await timestamps.timestamp(digest, 'SHA256');
            expect(readTimestampToken(token).policy).to.equal('1.2.3.4');
          });
        }
      }
    }
  });
});

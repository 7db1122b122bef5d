import { expect } from 'chai';
import { createRateLimit } from '../../api/bounds/admission.ts';
import { timestampRoute } from '../../api/pki/timestampRoute.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import { startTestServer } from '../support/http/http.ts';

describe('POST /tsa', () => {
  async function post(
    options: {
      readonly answer?: (request: Uint8Array) => Promise<Buffer>;
      readonly type?: string;
      readonly body?: Buffer;
      readonly times?: number;
    } = {},
  ) {
    const { type = 'application/timestamp-query', body = Buffer.from([1]), times = 1 } = options;
    const { answer = (request) => Promise.resolve(Buffer.from(request)) } = options;
    const rateLimit = createRateLimit({ name: 'test', redis: null });
    const route = timestampRoute({ answer, rateLimit, requestsPerMinute: 2 });
    const { server, origin } = await startTestServer([route]);
    const statuses: number[] = [];
    let last: Response | undefined;
    for (let count = 0; count < times; count += 1) {
      const headers = { 'content-type': type };
      last = await fetch(`${origin}/tsa`, { method: 'POST', headers, body });
      statuses.push(last.status);
    }
    const answered = {
      statuses,
      headers: last?.headers,
      body: Buffer.from((await last?.arrayBuffer()) ?? new ArrayBuffer(0)),
    };
    await server.stop(100);
    return answered;
  }

  it('hands over the bytes and answers with the media type of RFC 3161', async () => {
    const body = Buffer.from([0x30, 0x00]);
    const answered = await post({ body, type: 'Application/Timestamp-Query; charset=binary' });
    expect(answered.statuses).to.deep.equal([200]);
    expect(answered.headers?.get('content-type')).to.equal('application/timestamp-reply');
    expect(answered.headers?.get('cache-control')).to.equal('no-store');
    expect(answered.body).to.deep.equal(body);
  });

  it('takes nothing but a timestamp query', async () => {
    expect((await post({ type: 'application/json' })).statuses).to.deep.equal([415]);
    expect((await post({ body: Buffer.alloc(9000) })).statuses).to.deep.equal([413]);
  });

  it('limits what one address may ask for', async () => {
    const { statuses, headers } = await post({ times: 3 });
    expect(statuses).to.deep.equal([200, 200, 429]);
    expect(Number(headers?.get('retry-after'))).to.be.within(1, 60);
  });

  it('answers 503 while nothing can be signed', async () => {
    const answer = () => Promise.reject(new Unavailable('keyVault'));
    const { statuses, headers } = await post({ answer });
    expect(statuses).to.deep.equal([503]);
    expect(headers?.get('retry-after')).to.be.a('string');
  });
});

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { traced } from '../../application/ports/spans.ts';
import { type Given, given } from '../support/given/given.ts';

/** A span as OTLP has it in JSON. */
interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status?: { readonly code?: number };
}

/** Words that stand for a person here and nowhere else. */
const planted = ['Сүхбаатарын Планидаа', '110000000001', 'planted-display-text', 'planted-state'];
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER_SPAN = '00f067aa0ba902b7';

/** A collector and a register in one: keeps what it is sent, by path. */
async function startReceiver() {
  const received: { path: string; headers: IncomingMessage['headers']; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      received.push({ path: request.url ?? '', headers: request.headers, body });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    at: (path: string) => received.filter((each) => each.path === path),
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

describe('Traces and metrics of a login, at a collector', function () {
  this.timeout(60_000);
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let world: Given<'citizen'>;
  let spans: readonly SentSpan[];
  /** Traces that answers name. */
  const answered = new Set<string | null>();
  const named = (name: string | RegExp) =>
    spans.filter((span) => (typeof name === 'string' ? span.name === name : name.test(span.name)));
  const inTrace = (span: SentSpan) => span.traceId === TRACE;

  before(async () => {
    receiver = await startReceiver();
    world = await given({
      settings: {
        SVC_OTLP_URL: receiver.origin,
        SVC_OTLP_HEADERS: 'authorization=Bearer of-the-collector',
        SVC_OTLP_TRACE_SHARE: '1',
      },
      phones: { citizen: '110000000001' },
      answering: ['citizen'],
    });
    const client = world.client({
      fetchImpl: async (url, init) => {
        const headers = new Headers(init?.headers);
        // Not sampled by its caller; with state that is nobody else's business.
        headers.set('traceparent', `00-${TRACE}-${CALLER_SPAN}-00`);
        headers.set('tracestate', 'bank=planted-state');
        const answer = await fetch(url, { ...init, headers });
        answered.add(answer.headers.get('x-trace-id'));
        return answer;
      },
    });
    const interactions = [{ type: 'displayTextAndPIN', displayText60: 'planted-display-text' }];
    const session = await client.auth.notificationByEtsi(
      'PNOMN-110000000001',
      interactions as never,
    );
    await client.session.waitForResult(session.sessionId);
    const asked = `/registry?reg_no=${planted[1]}`;
    await traced('job', 'job asking', {}, () => fetch(receiver.origin + asked));
    // Spans that are left are sent at the end.
    await world.stop();
    spans = receiver.at('/v1/traces').flatMap(({ body }) =>
      (
        JSON.parse(body) as {
          resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[];
        }
      ).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
    );
  });

  after(() => receiver.stop());

  it("the request goes on in its caller's trace, and command and append in the request's", () => {
    const [request] = named(/^POST .*\/authentication\/notification\/etsi\//).filter(inTrace);
    expect(request).to.include({ kind: 2, parentSpanId: CALLER_SPAN });
    expect([...answered]).to.deep.equal([TRACE]);
    const [command] = named(/^session /).filter(inTrace);
    expect(command?.parentSpanId).to.equal(request?.spanId);
    const [append] = named('append session').filter(inTrace);
    expect(append?.parentSpanId).to.equal(command?.spanId);
  });

  it('read models, reactions and jobs have spans of their own', () => {
    for (const name of ['project sessions', /^react /, /^job /]) {
      expect(named(name), String(name)).not.to.be.empty;
      expect(named(name).filter(inTrace), `${name} in a caller's trace`).to.be.empty;
    }
  });

  it('a call that goes out is told the trace it belongs to', () => {
    const [{ headers } = { headers: {} as IncomingMessage['headers'] }] = receiver.at(
      `/registry?reg_no=${planted[1]}`,
    );
    const [, traceId, spanId] = String(headers['traceparent']).split('-');
    const [call] = spans.filter((span) => span.spanId === spanId);
    expect(call).to.include({ traceId, name: 'GET', kind: 3 });
    expect(headers).not.to.have.property('tracestate');
  });

  it('metrics are sent under the names that /metrics has', () => {
    const bodies = receiver.at('/v1/metrics').map(({ body }) => body);
    expect(bodies).not.to.be.empty;
    for (const name of ['http_server_request_duration_seconds', 'eventstore_appended_events_total'])
      expect(bodies.at(-1)).to.include(`"${name}"`);
  });

  it('the collector is shown its secret, and nothing that names a person', () => {
    const all = [...receiver.at('/v1/traces'), ...receiver.at('/v1/metrics')];
    for (const { headers, body } of all) {
      expect(headers['authorization']).to.equal('Bearer of-the-collector');
      for (const word of planted) expect(body).not.to.include(word);
      expect(body).not.to.match(/PNOMN-\d/);
    }
  });
});

import { type Answer, type Exchange, goOnWith, type RawHeaders, type Step } from './exchange.ts';
import type { Reply, Route } from './route.ts';
import { closeSource, sendStream } from './streamedBody.ts';
import { callerGone } from './telemetry.ts';

/** Step that runs the route's handler. */
export function handle(route: Route): Step {
  return (_request, { locals: { exchange } }, next) => {
    const { params, query, body } = exchange.input;
    const { principal } = exchange;
    const reply = route.handle({ params, query, body, principal, context: exchange });
    return goOnWith(reply, (given) => {
      exchange.reply = given;
      next();
    });
  };
}

/** Step that sends the handler's reply. */
export function answer({ name, streamsAtOnce }: Route): Step {
  return (_request, { locals: { exchange } }) => {
    const { stream } = exchange.reply;
    if (stream !== undefined) return answerPiecewise(exchange, stream);
    send(exchange, exchange.reply);
    exchange.leave();
    return undefined;
  };

  async function answerPiecewise(exchange: Exchange, source: AsyncIterable<Uint8Array>) {
    if (streamsAtOnce === undefined) {
      await closeSource(source);
      throw new Error(`The route ${name} streams without a limit (streamsAtOnce).`);
    }
    await sendPiecewise(exchange, source);
    exchange.leave();
  }
}

/** Sends a reply that has its whole body. */
export function send(exchange: Exchange, reply: Reply): void {
  const { status = 200, body, contentType } = reply;
  const bytes = body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const type = contentType ?? (typeof bytes === 'string' ? 'application/json' : undefined);
  const headers = headersOf(exchange, reply);
  if (type !== undefined) headers.push('content-type', type);
  complete(exchange, { status, headers, body: bytes });
}

/** Writes a successful response, and ends the request. */
export function complete(exchange: Exchange, whole: Answer): void {
  const { host, served } = exchange;
  exchange.write(whole);
  const status = exchange.isCallerGone ? callerGone : whole.status;
  exchange.end(status, host.logRequests && served.countedOnly !== true);
}

function headersOf(exchange: Exchange, { headers: own }: Reply): RawHeaders {
  const { commonHeaders, securityHeaders } = exchange.host;
  const headers: RawHeaders =
    own === undefined ? [...commonHeaders] : Object.entries({ ...securityHeaders, ...own }).flat();
  headers.push(...exchange.ownHeaders);
  return headers;
}

async function sendPiecewise(exchange: Exchange, source: AsyncIterable<Uint8Array>) {
  const { response, method, reply, host, requestId, served } = exchange;
  const { status = 200, contentType } = reply;
  const headers = headersOf(exchange, reply);
  if (contentType !== undefined) headers.push('content-type', contentType);
  if (host.ending) headers.push('connection', 'close');
  if (exchange.isCallerGone || method === 'HEAD') {
    await closeSource(source);
    if (!exchange.isCallerGone) response.writeHead(status, headers).end();
    exchange.end(exchange.isCallerGone ? callerGone : status);
    return;
  }
  host.connections.writing(response);
  response.writeHead(status, headers);
  try {
    exchange.end((await sendStream(source, response)) ? status : callerGone);
  } catch (err) {
    const fields = { requestId, route: served.path, err };
    host.log.error(fields, 'A streamed response failed and was cut off.');
    exchange.end(500);
  }
}

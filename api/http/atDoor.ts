import type { Admission } from './admission.ts';
import type { DoorAnswer, DoorOptions } from './door.ts';
import { createHeadWriter, DoorExchange, linesOf } from './doorExchange.ts';
import { type ExchangeHost, requestIdOf } from './exchange.ts';
import { createRowFinder } from './hotRows.ts';
import { defaultMaxBodyBytes, type Pipeline } from './pipeline.ts';
import { createPlainRequestReader, type PlainRequest } from './plainRequest.ts';
import type { Route } from './route.ts';
import type { HttpMetrics } from './telemetry.ts';

export interface AtDoorDependencies {
  readonly host: ExchangeHost;
  readonly admission: Admission;
  readonly metrics: HttpMetrics;
  readonly pipeline: Pipeline;
  /** Sent with every answer; lower-case names. */
  readonly securityHeaders: Readonly<Record<string, string>>;
  /** How long a connection is kept for the next request, ms; told to the caller. */
  readonly keepAliveMs: number;
  readonly routes: readonly Route[];
}

/**
 * Takes plain requests to hot rows as they arrived. Answers at hand are written out at once; they are admitted and counted
 * like all others. The other requests go through the pipeline, as if Node had read them.
 */
export function createTakeAtDoor(dependencies: AtDoorDependencies): DoorOptions['take'] {
  const { host, admission, metrics, pipeline, securityHeaders } = dependencies;
  const rowWithAnswers = answeringRowFinder(dependencies.routes);
  const findRow = createRowFinder(dependencies.routes.filter(({ hot }) => hot === true));
  const read = createPlainRequestReader();
  const head = createHeadWriter(dependencies.keepAliveMs);
  const common = linesOf(
    Object.entries(securityHeaders)
      .filter(([name]) => name !== 'cache-control')
      .flat(),
  );

  function isAdmitted({ underLoad }: Route): boolean {
    try {
      admission.admit(underLoad);
      return true;
    } catch {
      // Refused, with a reason, by the way of all others.
      return false;
    }
  }

  function atHand(request: PlainRequest, startedAt: number): DoorAnswer | null {
    const { method, target, body: rawBody, isLast } = request;
    const row = rowWithAnswers(method, target);
    if (row === undefined || !isAdmitted(row)) return null;
    const prepared = row.atHand?.({ target, rawBody, headers: request.headers }) ?? null;
    if (prepared?.status !== 200) return null;
    const { text: body, headers } = prepared;
    metrics.requestServed(method, row.path, 200, (performance.now() - startedAt) / 1000);
    const id = requestIdOf(request.headers);
    return {
      text:
        `${head(200, isLast)}${common}x-request-id: ${id}\r\n` +
        `${linesOf(headers)}content-length: ${body.length}\r\n\r\n${body}`,
      encoding: 'latin1',
      body: null,
      isLast,
    };
  }

  return (bytes, connection) => {
    const startedAt = performance.now();
    const request = host.stopping ? null : read(bytes);
    if (request === null) return null;
    const answer = atHand(request, startedAt);
    if (answer !== null) return answer;
    const found = findRow(request.method, request.target);
    if (found === null || !isFitForDoor(found.row, request)) return null;
    pipeline.serveAtDoor(found, new DoorExchange(host, connection, request, head));
    return 'promised';
  };
}

function isFitForDoor(row: Route, { body }: PlainRequest): boolean {
  const { guardBeforeBody, streamsBody, atHand, countedOnly } = row;
  // What is answered at hand and logged, the pipeline answers.
  if (atHand !== undefined && countedOnly !== true) return false;
  if (body.length > (row.maxBodyBytes ?? defaultMaxBodyBytes)) return false;
  return guardBeforeBody !== true && streamsBody !== true;
}

/** Among the rows that have answers at hand and are not logged: those at a fixed path, and those below one. */
function answeringRowFinder(routes: readonly Route[]) {
  const rows = routes.filter((row) => row.atHand !== undefined && row.countedOnly === true);
  const fixed = new Map(
    rows.filter(({ path }) => !/[:*]/.test(path)).map((row) => [`${row.method} ${row.path}`, row]),
  );
  const below = rows.flatMap((row) => {
    const [, prefix] = /^([^:*]+\/)\*\w+$/.exec(row.path) ?? [];
    return prefix === undefined ? [] : [{ row, prefix }];
  });
  return (method: string, target: string): Route | undefined =>
    fixed.get(`${method} ${target}`) ??
    below.find(({ row, prefix }) => row.method === method && target.startsWith(prefix))?.row;
}

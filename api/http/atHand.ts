import { randomUUID } from 'node:crypto';
import type { Admission } from './admission.ts';
import type { DoorAnswer } from './door.ts';
import type { ExchangeHost } from './exchange.ts';
import { createPlainRequestReader } from './plainRequest.ts';
import type { Route } from './route.ts';
import type { HttpMetrics } from './telemetry.ts';

export interface AnswersAtHandDependencies {
  readonly host: ExchangeHost;
  readonly admission: Admission;
  readonly metrics: HttpMetrics;
  /** Sent with every answer; lower-case names. */
  readonly securityHeaders: Readonly<Record<string, string>>;
  /** How long a connection is kept for the next request, ms; told to the caller. */
  readonly keepAliveMs: number;
  readonly routes: readonly Route[];
}

/**
 * Answers at hand to requests as they arrived, written out as the pipeline and Node would: status line, date,
 * persistence of the connection, security headers, request id. They are admitted and counted like all others.
 *
 * @returns the whole answer to these bytes; null: they go the way of all others
 */
export function createAnswersAtHand(
  dependencies: AnswersAtHandDependencies,
): (bytes: Buffer) => DoorAnswer | null {
  const { host, admission, metrics, securityHeaders, keepAliveMs } = dependencies;
  const rowFor = rowFinder(dependencies.routes);
  const read = createPlainRequestReader();
  const common = Object.entries(securityHeaders)
    .filter(([name]) => name !== 'cache-control')
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const kept = `connection: keep-alive\r\nkeep-alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n`;
  const last = 'connection: close\r\n';
  const date = httpDateNow();

  function isAdmitted({ underLoad }: Route): boolean {
    try {
      admission.admit(underLoad);
      return true;
    } catch {
      // Refused, with a reason, by the way of all others.
      return false;
    }
  }

  return (bytes) => {
    const startedAt = performance.now();
    const request = host.stopping ? null : read(bytes);
    if (request === null) return null;
    const { method, target, body: rawBody, isLast } = request;
    const row = rowFor(method, target);
    if (row === undefined || !isAdmitted(row)) return null;
    const prepared = row.atHand?.({ target, rawBody, headers: {} }) ?? null;
    if (prepared?.status !== 200) return null;
    const { text, headers } = prepared;
    metrics.requestServed(method, row.path, 200, (performance.now() - startedAt) / 1000);
    return {
      text:
        `HTTP/1.1 200 OK\r\ndate: ${date()}\r\n${isLast ? last : kept}${common}` +
        `x-request-id: ${randomUUID()}\r\n${linesOf(headers)}content-length: ${text.length}\r\n\r\n${text}`,
      isLast,
    };
  };
}

/** @param headers names and values in turn */
function linesOf(headers: readonly string[]): string {
  let lines = '';
  for (let at = 0; at + 1 < headers.length; at += 2) {
    lines += `${headers[at] ?? ''}: ${headers[at + 1] ?? ''}\r\n`;
  }
  return lines;
}

/** Among the rows that have answers at hand and are not logged: those at a fixed path, and those below one. */
function rowFinder(routes: readonly Route[]) {
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

/** The time of the Date header, formatted once a second. */
function httpDateNow(): () => string {
  let second = 0;
  let text = '';
  return () => {
    const now = Math.floor(Date.now() / 1000);
    if (now !== second) {
      second = now;
      text = new Date(now * 1000).toUTCString();
    }
    return text;
  };
}

import { execFile, execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { closedLoop } from '../support/load.ts';
import { openHttp, requestBytes } from '../support/httpConnection.ts';
import { latencyOf } from '../support/statistics.ts';

const run = promisify(execFile);
/** Default number of connections. */
const CONNECTIONS = 64;

/** A request to repeat as fast as the server answers. */
export interface HttpLoad {
  readonly port: number;
  readonly method: 'GET' | 'POST';
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text of an object. */
  readonly body?: string;
  /** Adds a field `benchCall` with a different value to each body. */
  readonly varied?: boolean;
  /** JSON texts sent in turn, instead of `body`. */
  readonly bodies?: readonly string[];
  /** Connections with one request at a time each; default 64. */
  readonly connections?: number;
  readonly seconds: number;
  /** Directory for the script file. */
  readonly directory: string;
}

/** Result of a load. Latencies in milliseconds. */
export interface HttpLoadResult {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly requests: number;
}

/** True when `wrk` is installed. */
export function hasWrk(): boolean {
  try {
    execFileSync('which', ['wrk']);
    return true;
  } catch {
    return false;
  }
}

/** Requests per second. @throws as {@link measureHttp} */
export async function requestsPerSecond(load: HttpLoad): Promise<number> {
  return (await measureHttp(load)).perSecond;
}

/**
 * Repeats a request on every connection by wrk, which takes little of the server's processors, or,
 * without it, by a loop in this process.
 *
 * @throws Error when any status was not 2xx
 */
export async function measureHttp(load: HttpLoad): Promise<HttpLoadResult> {
  return hasWrk() ? byWrk(load) : byLoop(load);
}

async function byWrk(load: HttpLoad): Promise<HttpLoadResult> {
  const script = join(load.directory, 'load.lua');
  await writeFile(script, luaOf(load));
  const { stdout } = await run('wrk', [
    ...['-t1', `-c${load.connections ?? CONNECTIONS}`, `-d${load.seconds}s`, '--latency'],
    ...['-s', script, `http://127.0.0.1:${load.port}${load.target}`],
  ]);
  const failed = /Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1];
  if (failed !== undefined) throw new Error(`${failed} answers were not 2xx:\n${stdout}`);
  return {
    perSecond: Number(printed(stdout, /Requests\/sec:\s+([\d.]+)/)),
    p50: milliseconds(printed(stdout, /50%\s+(\S+)/)),
    p99: milliseconds(printed(stdout, /99%\s+(\S+)/)),
    requests: Number(printed(stdout, /(\d+) requests in/)),
  };
}

function printed(stdout: string, what: RegExp): string {
  const found = what.exec(stdout)?.[1];
  if (found === undefined) throw new Error(`wrk's output lacks ${what.source}:\n${stdout}`);
  return found;
}

const unitMs: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000 };

/** Parses wrk's times: 85.00us, 1.20ms, 2.01s. */
function milliseconds(text: string): number {
  const [, value, unit = ''] = /^([\d.]+)([a-z]+)$/.exec(text) ?? [];
  return Number(value) * (unitMs[unit] ?? NaN);
}

function luaOf({ method, headers, body, bodies, varied = false }: HttpLoad): string {
  const hasBody = body !== undefined || bodies !== undefined;
  const all = { ...headers, ...(hasBody ? { 'Content-Type': 'application/json' } : {}) };
  const lines = [
    `wrk.method = "${method}"`,
    ...Object.entries(all).map(([name, value]) => `wrk.headers["${name}"] = "${value}"`),
  ];
  if (body !== undefined && !varied) lines.push(`wrk.body = [==[${body}]==]`);
  if (body !== undefined && varied) {
    lines.push(
      'local call = 0',
      `local fixed = [==[${body.slice(0, -1)}]==]`,
      'request = function()',
      '  call = call + 1',
      '  return wrk.format(nil, nil, nil, fixed .. ",\\"benchCall\\":" .. call .. "}")',
      'end',
    );
  }
  if (bodies !== undefined) {
    lines.push(
      'local call = 0',
      `local bodies = { ${bodies.map((text) => `[==[${text}]==]`).join(', ')} }`,
      'request = function()',
      '  call = call % #bodies + 1',
      '  return wrk.format(nil, nil, nil, bodies[call])',
      'end',
    );
  }
  return `${lines.join('\n')}\n`;
}

async function byLoop(load: HttpLoad): Promise<HttpLoadResult> {
  const { connections: inFlight = CONNECTIONS } = load;
  const connections = await Promise.all(
    Array.from({ length: inFlight }, () => openHttp({ port: load.port })),
  );
  const { perSecond, latencies } = await closedLoop(
    inFlight,
    load.seconds * 1000,
    async (index, worker) => {
      const request = requestBytes(load.method, load.target, load.headers, bodyOf(load, index));
      const answer = await connections[worker]?.send(request);
      if (answer?.status !== 200) throw new Error(`HTTP ${String(answer?.status)}`);
    },
  );
  for (const connection of connections) connection.close();
  const { p50, p99, count } = latencyOf(latencies);
  return { perSecond, p50, p99, requests: count };
}

function bodyOf({ body, bodies, varied }: HttpLoad, index: number): string | undefined {
  if (bodies !== undefined) return bodies[index % bodies.length];
  return body !== undefined && varied === true
    ? `${body.slice(0, -1)},"benchCall":${index}}`
    : body;
}

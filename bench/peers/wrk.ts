import { execFile, execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { closedLoop } from '../support/load.ts';
import { openHttp, requestBytes } from '../support/httpConnection.ts';

const run = promisify(execFile);
const CONNECTIONS = 64;

/** A request to be repeated as fast as the server answers. */
export interface HttpLoad {
  readonly port: number;
  readonly method: 'GET' | 'POST';
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text of an object. */
  readonly body?: string;
  /** Whether a field `benchCall` that differs each time is added to the body. */
  readonly varied?: boolean;
  readonly seconds: number;
  /** Where the script file is put. */
  readonly directory: string;
}

/** Whether Debian's `wrk` is there. */
export function hasWrk(): boolean {
  try {
    execFileSync('which', ['wrk']);
    return true;
  } catch {
    return false;
  }
}

/**
 * Requests per second over 64 connections, by wrk or, without it, by a loop in this process.
 *
 * @throws Error when any answer was not 2xx
 */
export async function requestsPerSecond(load: HttpLoad): Promise<number> {
  return hasWrk() ? byWrk(load) : byLoop(load);
}

async function byWrk(load: HttpLoad): Promise<number> {
  const script = join(load.directory, 'load.lua');
  await writeFile(script, luaOf(load));
  const { stdout } = await run('wrk', [
    ...['-t1', `-c${CONNECTIONS}`, `-d${load.seconds}s`, '-s', script],
    `http://127.0.0.1:${load.port}${load.target}`,
  ]);
  const failed = /Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1];
  if (failed !== undefined) throw new Error(`${failed} answers were not 2xx:\n${stdout}`);
  const rate = /Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1];
  if (rate === undefined) throw new Error(`wrk printed no rate:\n${stdout}`);
  return Number(rate);
}

function luaOf({ method, headers, body, varied = false }: HttpLoad): string {
  const all = { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) };
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
  return `${lines.join('\n')}\n`;
}

async function byLoop(load: HttpLoad): Promise<number> {
  const connections = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => openHttp({ port: load.port })),
  );
  const { perSecond } = await closedLoop(
    CONNECTIONS,
    load.seconds * 1000,
    async (index, worker) => {
      const body =
        load.body !== undefined && load.varied === true
          ? `${load.body.slice(0, -1)},"benchCall":${index}}`
          : load.body;
      const request = requestBytes(load.method, load.target, load.headers, body);
      const answer = await connections[worker]?.send(request);
      if (answer?.status !== 200) throw new Error(`HTTP ${String(answer?.status)}`);
    },
  );
  for (const connection of connections) connection.close();
  return perSecond;
}

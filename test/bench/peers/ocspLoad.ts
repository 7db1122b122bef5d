import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onLoadCore } from '../support/pinning.ts';

const run = promisify(execFile);

/** Responder under load, and duration. */
export interface OcspTarget {
  readonly port: number;
  /** `/ocsp`, or `/` at the peers. */
  readonly path: string;
  readonly seconds: number;
  /** Directory for generated files. */
  readonly directory: string;
}

/**
 * Requests per second by wrk over 32 keep-alive connections, each request drawn at random.
 *
 * @param requests DER
 * @throws Error when any status was not 2xx
 */
export async function keptAlive(
  target: OcspTarget,
  method: 'GET' | 'POST',
  requests: readonly Buffer[],
): Promise<number> {
  const { port, path, seconds, directory } = target;
  const bodies = join(directory, `requests-${port}`);
  const script = join(directory, `requests-${port}.lua`);
  await writeFile(bodies, `${requests.map((each) => each.toString('base64')).join('\n')}\n`);
  await writeFile(script, luaOf(method, path, bodies));
  const { stdout } = await run(
    ...onLoadCore('wrk', [
      ...['-t1', '-c32', `-d${seconds}s`, '-s', script, `http://127.0.0.1:${port}${path}`],
    ]),
  );
  const failed = /Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1];
  if (failed !== undefined) throw new Error(`${failed} answers were not 2xx:\n${stdout}`);
  return rateIn(stdout, /Requests\/sec:\s+([\d.]+)/);
}

/** Formats all requests in advance, to keep the load generator cheap. */
function luaOf(method: 'GET' | 'POST', path: string, bodies: string): string {
  return `
local alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
local value = {}
for i = 1, 64 do value[alphabet:byte(i)] = i - 1 end
local function decode(text)
  local out = {}
  for i = 1, #text, 4 do
    local a, b, c, d = text:byte(i, i + 3)
    local n = value[a] * 262144 + value[b] * 4096 + (value[c] or 0) * 64 + (value[d] or 0)
    out[#out + 1] = string.char(math.floor(n / 65536))
    if value[c] then out[#out + 1] = string.char(math.floor(n / 256) % 256) end
    if value[d] then out[#out + 1] = string.char(n % 256) end
  end
  return table.concat(out)
end
local requests = {}
function init()
  math.randomseed(os.time())
  local headers = { ["Content-Type"] = "application/ocsp-request", ["Host"] = "127.0.0.1" }
  for line in io.lines("${bodies}") do
    if "${method}" == "POST" then
      requests[#requests + 1] = wrk.format("POST", "${path}", headers, decode(line))
    else
      local escaped = line:gsub("[+/=]", { ["+"] = "%2B", ["/"] = "%2F", ["="] = "%3D" })
      local slash = "${path}" == "/" and "" or "/"
      requests[#requests + 1] = wrk.format("GET", "${path}" .. slash .. escaped)
    end
  end
end
function request()
  return requests[math.random(#requests)]
end
`;
}

/**
 * Requests per second by ab, 8 at a time, one connection each, always the same request. Bounded by
 * count, not time: where ab aborts a connection, openssl waits forever for the rest.
 */
export async function oneConnectionEach(
  { port, path, directory }: OcspTarget,
  request: Buffer,
  count: number,
): Promise<number> {
  const file = join(directory, `request-${port}`);
  await writeFile(file, request);
  const { stdout } = await run(
    ...onLoadCore('ab', [
      ...['-q', '-c', '8', '-n', String(count), '-p', file],
      ...['-T', 'application/ocsp-request', `http://127.0.0.1:${port}${path}`],
    ]),
  );
  if (/^Non-2xx responses/m.test(stdout)) throw new Error(`Not all answers were 2xx:\n${stdout}`);
  return rateIn(stdout, /Requests per second:\s+([\d.]+)/);
}

function rateIn(output: string, pattern: RegExp): number {
  const rate = pattern.exec(output)?.[1];
  if (rate === undefined) throw new Error(`ab printed no rate:\n${output}`);
  return Number(rate);
}

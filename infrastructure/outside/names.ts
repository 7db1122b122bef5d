import { lookup } from 'node:dns/promises';
import { NotReady } from '../../application/ports/faults.ts';
import { hostsIn } from '../config/addresses.ts';
import type { Config } from '../config/config.ts';
import type { Outside } from './bounds.ts';

/** Settings with the address of a system that this process calls. */
const outward = [
  'SVC_DATABASE_URL',
  'SVC_REDIS_URL',
  'SVC_FILE_STORE_S3_URL',
  'SVC_ARCHIVE_S3_URL',
  'SVC_FILE_SCANNER',
  'SVC_PUSH_GATEWAY_URL',
  'SVC_DIRECTORY_URL',
  'SVC_KYC_DAN_TOKEN_URL',
  'SVC_TSA_URL',
  'SVC_AI_STT_URL',
  'SVC_AI_TTS_URL',
  'SVC_AI_EMBEDDINGS_URL',
  'ANTHROPIC_BASE_URL',
] as const;

/** Time an answer is used again, ms: anybody may read `/readyz`. */
const KEPT_MS = 10_000;

/**
 * Check for `/readyz` that the names in settings are resolved. A lookup runs in a thread of the process's pool, of which
 * libuv gives lookups half at most, and their bound fewer.
 *
 * @returns none when all addresses are numeric or this machine's
 */
export function nameChecks(
  config: Config,
  outside: Outside,
  resolve: (host: string) => Promise<unknown> = lookup,
): Readonly<Record<string, () => Promise<void>>> {
  const hosts = outward.flatMap((setting) =>
    [config[setting] ?? []]
      .flat()
      .flatMap(hostsIn)
      .filter(({ kind, name }) => kind === 'name' && name !== 'localhost')
      .map(({ name: hostname }) => ({ setting, hostname })),
  );
  if (hosts.length === 0) return {};
  const access = outside.open('names');
  let last: { readonly at: number; readonly outcome: Promise<void> } | null = null;

  async function resolveAll(): Promise<void> {
    await access.check();
    await Promise.all(
      hosts.map(({ setting, hostname }) =>
        access
          .run(() => resolve(hostname))
          .catch(() => {
            throw new NotReady(`The host in ${setting} cannot be resolved.`);
          }),
      ),
    );
  }

  function names(): Promise<void> {
    if (last === null || performance.now() - last.at > KEPT_MS) {
      last = { at: performance.now(), outcome: resolveAll() };
    }
    return last.outcome;
  }

  return { names };
}

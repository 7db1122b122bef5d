import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { ClientKey } from '../../domain/oidcClient/settings.ts';

const keySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())).min(1).max(20) });

/**
 * Reads the public keys of a JSON Web Key Set (RFC 7517 §5). Members that are not text, like
 * `key_ops`, are left out.
 *
 * @throws Error of the file system; Error when the file holds no key set
 */
export async function readKeySet(path: string): Promise<readonly ClientKey[]> {
  const read = keySet.safeParse(parsed(await readFile(path, 'utf8')));
  if (!read.success)
    throw new Error(`${path} is not a JSON Web Key Set. Write it as {"keys": [...]}.`);
  return read.data.keys.map((key) =>
    Object.fromEntries(
      Object.entries(key).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, value] as const] : [],
      ),
    ),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

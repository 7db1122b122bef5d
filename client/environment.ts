import { readFileSync } from 'node:fs';
import { ConfigurationError } from './errors.ts';
import type { ClientConfig } from './types.ts';

const required = ['RP_API_BASE', 'RP_UUID', 'RP_NAME', 'RP_SECRET', 'TRUST_ANCHORS'] as const;

/**
 * Settings from the environment, as `.tamga/demo.env` has them.
 *
 * @throws ConfigurationError that names every variable which is missing, or the file that cannot be read
 */
export function configOf(
  environment: Readonly<Record<string, string | undefined>>,
): Pick<ClientConfig, 'baseUrl' | 'credentials' | 'trust'> {
  const read = (name: string) => environment[name] ?? '';
  const missing = required.filter((name) => read(name) === '');
  if (missing.length > 0) {
    throw new ConfigurationError(
      `Set ${missing.join(', ')} in the environment: see EidClient.fromEnv.`,
    );
  }
  const intermediates = read('TRUST_INTERMEDIATES');
  return {
    baseUrl: read('RP_API_BASE'),
    credentials: {
      rpUUID: read('RP_UUID'),
      rpName: read('RP_NAME'),
      apiSecret: read('RP_SECRET'),
    },
    trust: {
      trustAnchorsPem: pemOf('TRUST_ANCHORS', read('TRUST_ANCHORS')),
      ...(intermediates !== '' && {
        intermediatesPem: pemOf('TRUST_INTERMEDIATES', intermediates),
      }),
    },
  };
}

function pemOf(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ConfigurationError(`${name} must name a file with certificates in PEM.`, { cause });
  }
}

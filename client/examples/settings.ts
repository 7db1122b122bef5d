import {
  type ClientConfig,
  createRevocationChecker,
  EidClient,
  type RevocationCheckerOptions,
} from '@tamga/client';

/**
 * Reads a setting of the environment; with `./tamga up` running, `. .tamga/demo.env` sets all that
 * the examples need.
 */
export function setting(
  name: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const value = environment[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set.`);
  return value;
}

/** Options of an example's client. */
export interface ClientWishes {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly config?: Pick<ClientConfig, 'generation' | 'onCall'>;
  readonly revocation?: RevocationCheckerOptions;
}

/** Creates a client that trusts the platform's CAs and asks them for revocation status. */
export function createClient({ environment, config, revocation }: ClientWishes = {}): EidClient {
  return EidClient.fromEnv(
    { trust: { revocation: createRevocationChecker(revocation) }, ...config },
    environment,
  );
}

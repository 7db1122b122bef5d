import {
  createServiceIdentities,
  type StartableServiceIdentities,
} from '../application/certificate/serviceIdentities.ts';
import { createPostgresServiceIdentityPointers } from '../infrastructure/postgres/serviceIdentityPointers.ts';
import type { Aggregates } from './aggregates.ts';
import type { Foundation } from './foundation.ts';
import type { Keys } from './keys.ts';

/** The keys and certificates of the platform's own services; started after the certificate authority. */
export function composeServiceIdentities(
  { clock, randomness, wake, pool, log }: Foundation,
  { certificates }: Aggregates,
  { authority, keyVault }: Keys,
): StartableServiceIdentities {
  return createServiceIdentities({
    ...{ certificates, authority, keyVault, clock, randomness, feed: wake },
    pointers: createPostgresServiceIdentityPointers(pool),
    onFailure: (purpose, cause) =>
      log.error({ purpose, err: cause }, 'A certificate of the platform could not be renewed.'),
  });
}

import { revocationListRoutes } from '../api/pki/revocationListRoutes.ts';
import {
  createServedRevocationLists,
  type ServedRevocationLists,
} from '../application/certificate/servedRevocationLists.ts';
import type { RevocationEvidence } from '../application/ports/revocationEvidence.ts';
import { createRevocationListPublisher } from '../application/reactors/publishRevocationLists.ts';
import { createRevocationListBuilder } from '../infrastructure/crl/revocationListBuilder.ts';
import { failingFast } from '../infrastructure/postgres/availability.ts';
import { createPostgresRevocationLists } from '../infrastructure/postgres/revocationLists.ts';
import { certificatesReadModel } from '../projections/certificates.ts';
import { createProjectionProgress } from '../projections/progress.ts';
import { createRevocationStates } from '../projections/revocationStates.ts';
import type { Core } from './core.ts';
import type { ServicePart } from './part.ts';

/** Revocation lists, for whoever keeps them with a signature, and what is served and run of them. */
export interface RevocationLists {
  readonly crl: RevocationEvidence['crl'];
  readonly newest: ServedRevocationLists['newest'];
  readonly part: ServicePart;
}

const HOUR_MS = 3_600_000;

/** The issuing CAs' certificates are hardly ever revoked. */
const ROOT_LIST_HOURS = 30 * 24;

/** Revocation lists: one process publishes, every process serves. */
export function composeRevocationLists({
  config,
  foundation,
  keys,
  effects,
}: Core): RevocationLists {
  const { pool, database, wake, clock, eventStore, singleActive, log, metrics } = foundation;
  const { authority, keyVault } = keys;
  const store = createPostgresRevocationLists(pool);
  const served = createServedRevocationLists({ store, feed: wake });
  const validityMs = config.SVC_CRL_HOURS * HOUR_MS;
  const publisher = createRevocationListPublisher({
    ...{ eventStore, singleActive, clock, onFailure: effects.onFailure, lists: store },
    states: failingFast(createRevocationStates(database)),
    progress: createProjectionProgress({ database, names: [certificatesReadModel.name] }),
    newBuilder: (name) => createRevocationListBuilder(authority.issuer(name), keyVault),
    validityMs: {
      personal: validityMs,
      organization: validityMs,
      root: ROOT_LIST_HOURS * HOUR_MS,
    },
    onPublished: ({ authority: name, number, nextUpdate, der }, entries, tookMs) => {
      metrics.revocationListPublished(name, nextUpdate);
      log.info(
        {
          ...{ authority: name, number: String(number), entries },
          ...{ bytes: der.length, tookMs: Math.round(tookMs) },
        },
        'A revocation list was published.',
      );
    },
  });
  return {
    newest: (name) => served.newest(name),
    crl: async (name) => (await served.newest(name)).der,
    part: {
      routes: revocationListRoutes((name) => served.newest(name)),
      reactors: [publisher],
      stop: () => {
        served.stop();
        return Promise.resolve();
      },
    },
  };
}

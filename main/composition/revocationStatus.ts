import { ocspRoutes } from '../../api/pki/ocsp.ts';
import { revocationListRoutes } from '../../api/pki/revocationListRoutes.ts';
import {
  createServedRevocationLists,
  type ServedRevocationLists,
} from '../../application/certificate/revocationListService.ts';
import { createRevocationListPublisher } from '../../application/reactors/publishRevocationLists.ts';
import { createRevocationListBuilder } from '../../infrastructure/crl/revocationListBuilder.ts';
import { createOcspResponder } from '../../infrastructure/pki/ocsp/responder.ts';
import type { RevocationEvidence } from '../../infrastructure/pki/revocationEvidence.ts';
import { failingFast } from '../../infrastructure/postgres/pool.ts';
import { createPostgresRevocationLists } from '../../infrastructure/postgres/revocationLists.ts';
import {
  createCertificateStatuses,
  createCurrentStatuses,
  createRevocationStates,
} from '../../projections/certificates.ts';
import { createProjectionProgress } from '../../projections/engine/checkpoints.ts';
import { certificatesReadModel } from '../../projections/models/certificates.ts';
import type { Core } from './core.ts';
import type { ServiceModule } from './serviceModule.ts';

const HOUR_MS = 3_600_000;

/** Certificates of issuing CAs are rarely revoked. */
const ROOT_LIST_HOURS = 30 * 24;

/** Status of certificates: OCSP responses, revocation lists, and both for signatures that embed them. */
export function composeRevocationStatus(core: Core) {
  const responder = createResponder(core);
  const { served, publisher } = createRevocationLists(core);
  const module: ServiceModule = {
    routes: [...ocspRoutes(responder), ...revocationListRoutes((name) => served.newest(name))],
    reactors: [publisher],
    stop: () => {
      responder.stop();
      served.stop();
      return Promise.resolve();
    },
  };
  const evidence: RevocationEvidence = {
    ocspResponse: responder.ocspResponse,
    crl: async (name) => (await served.newest(name)).der,
  };
  const revocationList: ServedRevocationLists['newest'] = (name) => served.newest(name);
  return { module, evidence, revocationList };
}

/** Revocation lists: one process publishes, every process serves. */
function createRevocationLists({ config, foundation, keys, effects }: Core) {
  const { pool, database, notifications, clock, eventStore, leaderLock, log, metrics } = foundation;
  const { staleness } = foundation;
  const { authority, keyVault } = keys;
  const store = createPostgresRevocationLists(pool);
  const served = createServedRevocationLists({ store, feed: notifications });
  metrics.watchRevocationLists(() => store.nextUpdates());
  const validityMs = config.SVC_CRL_HOURS * HOUR_MS;
  const publisher = createRevocationListPublisher({
    eventStore,
    leaderLock,
    clock,
    clockSlackMs: config.SVC_CLOCK_SLACK * 1000,
    onFailure: effects.onFailure,
    lists: store,
    states: failingFast(createRevocationStates(database)),
    progress: createProjectionProgress({ database, names: [certificatesReadModel.name] }),
    staleness,
    newBuilder: (name) => createRevocationListBuilder(authority.issuer(name), keyVault),
    signsHere: (name) => authority.issuer(name).isOnline,
    validityMs: {
      personal: validityMs,
      organization: validityMs,
      root: ROOT_LIST_HOURS * HOUR_MS,
    },
    onPublished: ({ authority: name, number, der }, entries, tookMs) => {
      log.info(
        {
          authority: name,
          number: String(number),
          entries,
          bytes: der.length,
          tookMs: Math.round(tookMs),
        },
        'A revocation list was published.',
      );
    },
  });
  return { served, publisher };
}

/** The OCSP responder over the certificates read model. */
function createResponder({ foundation, keys, serviceIdentities }: Core) {
  const { clock, notifications, database, outageLog, staleness, facts, loggedRow } = foundation;
  return createOcspResponder({
    clock,
    feed: notifications,
    identities: serviceIdentities,
    authority: keys.authority,
    keyVault: keys.keyVault,
    isListening: () =>
      notifications.isListening() && !staleness.isStale(certificatesReadModel.name),
    statuses: createCurrentStatuses(failingFast(createCertificateStatuses(database)), {
      isBehind: (serial) => facts.isBehind('certificate', serial),
      logged: loggedRow,
      staleness,
    }),
    onFailure: (cause) => outageLog.error({ err: cause }, 'An OCSP request could not be answered.'),
  });
}

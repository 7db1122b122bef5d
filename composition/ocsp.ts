import { ocspRoutes } from '../api/pki/ocsp.ts';
import { createOcspResponder } from '../infrastructure/pki/ocsp/responder.ts';
import { failingFast } from '../infrastructure/postgres/availability.ts';
import { createCertificateStatuses } from '../projections/certificates.ts';
import type { Core } from './core.ts';
import type { ServicePart } from './part.ts';

/** The OCSP responder over the certificates read model. */
export function composeOcsp({ foundation, keys, serviceIdentities }: Core) {
  const { clock, wake, database, log } = foundation;
  const responder = createOcspResponder({
    ...{ clock, feed: wake, identities: serviceIdentities },
    ...{ authority: keys.authority, keyVault: keys.keyVault },
    isListening: () => wake.isListening(),
    statuses: failingFast(createCertificateStatuses(database)),
    onFailure: (cause) => log.error({ err: cause }, 'An OCSP request could not be answered.'),
  });
  const part: ServicePart = {
    routes: ocspRoutes(responder),
    stop: () => {
      responder.stop();
      return Promise.resolve();
    },
  };
  return { responder, part };
}

import { signalRoutes } from '../../api/openIdConnect/signalRoutes.ts';
import { createAddressLimit } from '../../api/bounds/admission.ts';
import { createStreamManagement } from '../../application/signals/manageStreams.ts';
import type { PushSet } from '../../application/signals/ports/signalStreams.ts';
import {
  createFindReceiver,
  createSetSigning,
  signalChannel,
} from '../../application/signals/signalChannel.ts';
import { createSignals } from '../../application/signals/signalsOf.ts';
import type { WebhookOutbox } from '../../application/webhooks/ports/webhooks.ts';
import { deriveMasterKeys } from '../../infrastructure/codec/encryption.ts';
import { pairwiseSubject } from '../../infrastructure/oidc/configuration.ts';
import { createPostgresSignalStreams } from '../../infrastructure/postgres/signalStreams.ts';
import { certificatesReadModel } from '../../projections/models/certificates.ts';
import { citizensReadModel } from '../../projections/models/citizens.ts';
import { consentsReadModel } from '../../projections/models/consents.ts';
import { devicesReadModel } from '../../projections/models/devices.ts';
import type { Core } from './core.ts';
import type { OpenIdConnect } from './openIdConnect.ts';

/** Security events to OpenID Connect clients (Shared Signals Framework), delivered as webhooks are. */
export function composeSignals(
  { config, foundation, aggregates, effects }: Core,
  openIdConnect: OpenIdConnect,
  { outbox, push }: { readonly outbox: Pick<WebhookOutbox, 'add'>; readonly push: PushSet },
) {
  const { pool, vault, clock, randomness, referenceData } = foundation;
  const { engine, issuer, consentedScopes, consentsOf } = openIdConnect;
  const findClient = createFindReceiver(openIdConnect.findClient);
  const findAccount = openIdConnect.findStoredAccount;
  const { certificates, devices } = aggregates;
  const { pairwiseSubjects } = deriveMasterKeys(foundation.derivationKey);
  const streams = createPostgresSignalStreams({ pool, vault });
  const signSet = createSetSigning({
    streams,
    referenceData: foundation.storedReferenceData,
    consentedScopes,
    vault,
    issuer,
    sign: (algorithm, claims) => engine.signSet(algorithm, claims),
  });
  return {
    channel: signalChannel({ streams, findClient, signSet, push }),
    signalsOf: createSignals({
      streams,
      certificates,
      devices,
      findClient,
      findAccount,
      consentsOf,
      progress: foundation.progressOf(
        consentsReadModel,
        certificatesReadModel,
        devicesReadModel,
        citizensReadModel,
      ),
      pairwise: (sector, of) => pairwiseSubject(pairwiseSubjects, sector, of),
      vault,
    }),
    routes: signalRoutes({
      streams: createStreamManagement({
        streams,
        outbox,
        jobs: effects.jobs,
        findClient,
        signSet,
        accessLog: openIdConnect.accessLog,
        clock,
        randomness,
      }),
      engine,
      findClient,
      admit: async (relyingPartyId) => {
        const party = await referenceData.relyingParty(relyingPartyId);
        if (party !== null) await openIdConnect.admit(party);
      },
      limit: createAddressLimit(
        { name: 'tamga:ssf', ...openIdConnect.requestLimit },
        config.SVC_OIDC_REQUESTS_PER_MINUTE,
      ),
      issuer,
    }),
  };
}

import * as openid from 'openid-client';
import { leasePdf } from '../../../main/cli/demoDocument.ts';
import {
  approve,
  askForRevocation,
  certificateOfLostPhone,
} from '../../../main/cli/demoOperators.ts';
import type { Demo } from '../../../main/cli/demoPreparation.ts';
import { clientOf } from '../../../main/cli/demoShows.ts';
import type { Service } from '../../../main/main.ts';
import { createOidcBrowser } from '../../support/oidc/oidcBrowser.ts';
import {
  beginLogin,
  discoverAs,
  goThroughLogin,
  registerClient,
} from '../../support/oidc/oidcLogin.ts';

/** Names of the flows that can be traced. */
export const flowNames = ['start', 'cycle', 'seal', 'approval', 'code'] as const;
export type FlowName = (typeof flowNames)[number];

/** One flow of the demo. */
export interface Flow {
  readonly title: string;
  /** Does what comes before the flow. @returns the flow; it resolves with the answer */
  readonly prepare: () => Promise<() => Promise<unknown>>;
  /** Set where phones answer in the flow itself; otherwise they rest meanwhile. */
  readonly withPhones?: true;
}

const interactions = [{ type: 'displayTextAndPIN', displayText60: 'Log in' }] as const;

/** The flows on a demo whose phones answer by themselves. */
export async function flowsOf(
  service: Service,
  { file, operators }: Demo,
): Promise<Readonly<Record<FlowName, Flow>>> {
  const client = await clientOf(file);
  const citizens = file.citizens.filter(({ outcome }) => outcome === 'OK');
  const silent = file.citizens.find(({ outcome }) => outcome === 'TIMEOUT');
  let turn = 0;
  const next = () => citizens[turn++ % citizens.length]?.etsi ?? '';
  const { organization, relyingParty } = file;
  const { origin } = service;
  const revoking = operators.operator?.token ?? null;
  const approving = operators.approver?.token ?? null;
  if (!silent || !organization || revoking === null || approving === null) {
    throw new Error('The demo lacks what is traced: see what it left out.');
  }
  const start = (etsi: string) => client.auth.notificationByEtsi(etsi, [...interactions]);
  return {
    start: {
      title: 'a session is started',
      prepare: () => Promise.resolve(() => start(silent.etsi)),
    },
    cycle: {
      title: 'a session is started, confirmed and polled',
      withPhones: true,
      prepare: () =>
        Promise.resolve(async () => client.session.waitForResult((await start(next())).sessionId)),
    },
    seal: {
      title: 'a PDF is sealed',
      prepare: async () => {
        await client.seal
          .certificate(organization.etsi)
          .catch(() => client.seal.issueCertificate(organization.etsi));
        return () => client.seal.pdf(organization.etsi, Buffer.from(leasePdf()));
      },
    },
    approval: {
      title: 'a revocation is approved by a second operator',
      prepare: async () => {
        const { serialNumber } = await certificateOfLostPhone(origin, client);
        const asked = await askForRevocation(origin, revoking, serialNumber.toLowerCase());
        return () => approve(origin, approving, String(asked['id']));
      },
    },
    code: {
      title: 'an OpenID Connect client exchanges a code',
      prepare: async () => {
        const known = { service, relyingPartyId: relyingParty.uuid };
        const configuration = await discoverAs(origin, await registerClient(known));
        const begun = await beginLogin(configuration, { scope: 'openid profile' });
        const callback = await goThroughLogin(createOidcBrowser(), begun.url, {
          citizen: citizens[0]?.civilId ?? '',
        });
        return () =>
          openid.authorizationCodeGrant(configuration, callback, {
            pkceCodeVerifier: begun.verifier,
            expectedState: begun.state,
            expectedNonce: begun.nonce,
          });
      },
    },
  };
}

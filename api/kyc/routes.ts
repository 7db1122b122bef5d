import { cancelVerification } from '../../application/identityVerification/cancelVerification.ts';
import { readVerification } from '../../application/identityVerification/readVerification.ts';
import { startVerification } from '../../application/identityVerification/startVerification.ts';
import {
  verifyByCitizenCard,
  type VerifyByCitizenCardDependencies,
} from '../../application/identityVerification/verifyByCitizenCard.ts';
import { deprecated } from '../http/deprecation.ts';
import { anyone, asApplicant } from '../http/handling.ts';
import type { AddressLimit } from '../http/route.ts';
import { type Route, route } from '../http/route.ts';
import { verificationSecret } from './guard.ts';
import { listedMethods } from './methods.ts';
import {
  citizenCardBody,
  danCallbackQuery,
  methodsAnswer,
  startBody,
  startedAnswer,
  verificationAnswer,
  verificationPath,
  verifiedAnswer,
} from './schemas.ts';
import { createStepRoutes } from './stepRoutes.ts';
import { wireVerified, wireView } from './wire.ts';

export type KycRouteDependencies = VerifyByCitizenCardDependencies & {
  /** Rate limit per address, also against guesses spread over many persons. */
  readonly addressLimit: AddressLimit;
  /** Public origin of these routes, for discovery. */
  readonly base: string;
  /** Return URL after another authority: the app that started the verification. */
  readonly danReturnUrl: string;
};

/** Identity proofing, from an unknown person to a one-time enrolment token (architecture §7). */
export function createKycRoutes(dependencies: KycRouteDependencies): readonly Route[] {
  const { addressLimit: limit, base, providers, danReturnUrl } = dependencies;
  const ofOne = { guard: verificationSecret, params: verificationPath } as const;
  const root = '/v3/kyc/verifications';

  return [
    route({
      name: 'kyc_methods',
      summary: 'List the methods of identity verification for enrolment',
      method: 'GET',
      path: '/v3/kyc/methods',
      listedUnder: base,
      guard: anyone,
      response: { 200: methodsAnswer },
      handle: () => ({ body: { methods: listedMethods(providers) } }),
    }),
    route({
      name: 'kyc_citizen_card',
      summary: 'Verify an identity by the citizen card and get a one-time enrolment token',
      method: 'POST',
      path: '/v3/kyc/citizen-card',
      deprecated: deprecated({ since: '2026-11-22', successor: root }),
      underLoad: 'refuseFirst',
      guard: anyone,
      limit,
      body: citizenCardBody,
      response: { 200: verifiedAnswer },
      handle: async ({ body, context }) => ({
        body: wireVerified(await verifyByCitizenCard(dependencies, body, asApplicant(context))),
      }),
    }),
    route({
      name: 'kyc_verifications',
      summary: 'Start an identity verification and get the secret for all further calls',
      method: 'POST',
      path: root,
      listedUnder: base,
      underLoad: 'refuseFirst',
      guard: anyone,
      limit,
      body: startBody,
      response: { 201: startedAnswer },
      handle: ({ body }) => {
        const { view, secret } = startVerification(dependencies, body);
        return { status: 201, body: { verification: wireView(view), secret } };
      },
    }),
    route({
      ...ofOne,
      name: 'kyc_verification',
      summary: 'Get the state of an identity verification',
      method: 'GET',
      path: `${root}/:verificationId`,
      response: { 200: verificationAnswer },
      handle: async ({ principal: secret, params: { verificationId }, context }) => {
        const by = asApplicant(context, verificationId);
        const holder = { verificationId, secret };
        return { body: wireView(await readVerification(dependencies, holder, by)) };
      },
    }),
    route({
      ...ofOne,
      name: 'kyc_cancel',
      summary: 'Cancel an identity verification',
      method: 'POST',
      path: `${root}/:verificationId/cancel`,
      response: { 200: verificationAnswer },
      handle: async ({ principal: secret, params: { verificationId }, context }) => {
        const by = asApplicant(context, verificationId);
        const holder = { verificationId, secret };
        return { body: wireView(await cancelVerification(dependencies, holder, by)) };
      },
    }),
    route({
      name: 'kyc_dan_callback',
      summary:
        'Receive the browser and pass state and code to the app that started the verification',
      method: 'GET',
      path: '/v3/kyc/dan/callback',
      guard: anyone,
      limit,
      query: danCallbackQuery,
      response: { 303: null },
      handle: ({ query }) => ({
        status: 303,
        headers: {
          location: withQuery(danReturnUrl, query),
          'cache-control': 'no-store',
          'referrer-policy': 'no-referrer',
        },
      }),
    }),
    ...createStepRoutes(dependencies),
  ];
}

/** Adds parameters to an address of any scheme. */
function withQuery(
  address: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url.href;
}

import type { z } from 'zod';
import { cancelVerification } from '../../application/identityVerification/cancelVerification.ts';
import { readVerification } from '../../application/identityVerification/readVerification.ts';
import { startVerification } from '../../application/identityVerification/startVerification.ts';
import { type Step, submitStep } from '../../application/identityVerification/submitStep.ts';
import {
  verifyByCitizenCard,
  type VerifyByCitizenCardDependencies,
} from '../../application/identityVerification/verifyByCitizenCard.ts';
import type {
  VerificationView,
  VerifiedIdentity,
} from '../../application/identityVerification/verificationView.ts';
import { deprecated } from '../http/deprecation.ts';
import { anyone, asApplicant } from '../http/guards.ts';
import type { AddressLimit } from '../http/rateLimit.ts';
import { type Route, route } from '../http/route.ts';
import { verificationSecret } from './guard.ts';
import { listedMethods } from './methods.ts';
import {
  citizenCardBody,
  methodsAnswer,
  nothing,
  PASSPORT_BODY_BYTES,
  passportBody,
  startBody,
  startedAnswer,
  verificationAnswer,
  verificationPath,
  verifiedAnswer,
} from './schemas.ts';

export type KycRouteDependencies = VerifyByCitizenCardDependencies & {
  /** Counts by address: guessing spread over many persons is slowed down too. */
  readonly addressLimit: AddressLimit;
  /** Public origin of these addresses, for discovery. */
  readonly base: string;
};

/** Where a step of one method is sent, and what is particular about its row. */
interface StepAddress extends Pick<Route, 'maxBodyBytes' | 'guardBeforeBody'> {
  /** Of the address. */
  readonly segment: string;
  readonly summary: string;
}

/** Identity verification: from not knowing who somebody is to a one-time enrolment token (architecture §7). */
export function createKycRoutes(dependencies: KycRouteDependencies): readonly Route[] {
  const { addressLimit: limit, base, providers } = dependencies;
  const ofOne = { guard: verificationSecret, params: verificationPath, query: nothing } as const;
  const root = '/v3/kyc/verifications';

  /** The row a step of one method is sent to. */
  function stepRow<Body>(
    { segment, summary, ...further }: StepAddress,
    body: z.ZodType<Body>,
    toStep: (body: Body) => Step,
  ): Route {
    return route({
      ...{ ...ofOne, ...further },
      ...{ name: `kyc_step_${segment.replace('-', '_')}`, summary, body, limit },
      ...{ method: 'POST', path: `${root}/:verificationId/steps/${segment}` },
      ...{ listedUnder: null, underLoad: 'refuseFirst' },
      response: { 200: verificationAnswer },
      handle: async ({ principal: secret, params: { verificationId }, body: sent, context }) => {
        const by = asApplicant(context, verificationId);
        const holder = { verificationId, secret };
        return { body: wireView(await submitStep(dependencies, holder, toStep(sent), by)) };
      },
    });
  }

  return [
    route({
      ...{ name: 'kyc_methods', summary: 'The ways to verify an identity for enrolment.' },
      ...{ method: 'GET', path: '/v3/kyc/methods', listedUnder: base },
      ...{ guard: anyone, params: nothing, query: nothing, body: null },
      response: { 200: methodsAnswer },
      handle: () => ({ body: { methods: listedMethods(providers) } }),
    }),
    route({
      name: 'kyc_citizen_card',
      summary: 'Verifies an identity by the citizen card; gives a one-time enrolment token.',
      ...{ method: 'POST', path: '/v3/kyc/citizen-card', listedUnder: null },
      deprecated: deprecated({ since: '2026-11-22', successor: root }),
      ...{ underLoad: 'refuseFirst', guard: anyone, limit },
      ...{ params: nothing, query: nothing, body: citizenCardBody },
      response: { 200: verifiedAnswer },
      handle: async ({ body, context }) => ({
        body: wireVerified(await verifyByCitizenCard(dependencies, body, asApplicant(context))),
      }),
    }),
    route({
      name: 'kyc_verifications',
      summary: 'Opens the verification of an identity; gives the secret of all further calls.',
      ...{ method: 'POST', path: root, listedUnder: base },
      ...{ underLoad: 'refuseFirst', guard: anyone, limit },
      ...{ params: nothing, query: nothing, body: startBody },
      response: { 201: startedAnswer },
      handle: async ({ body, context }) => {
        const { view, secret } = await startVerification(dependencies, body, asApplicant(context));
        return { status: 201, body: { verification: wireView(view), secret } };
      },
    }),
    route({
      ...{ ...ofOne, name: 'kyc_verification', summary: 'How far an identity verification is.' },
      ...{ method: 'GET', path: `${root}/:verificationId`, listedUnder: null, body: null },
      response: { 200: verificationAnswer },
      handle: async ({ principal: secret, params: { verificationId }, context }) => {
        const by = asApplicant(context, verificationId);
        const holder = { verificationId, secret };
        return { body: wireView(await readVerification(dependencies, holder, by)) };
      },
    }),
    route({
      ...{ ...ofOne, name: 'kyc_cancel', summary: 'Gives an identity verification up.' },
      ...{ method: 'POST', path: `${root}/:verificationId/cancel`, listedUnder: null, body: null },
      response: { 200: verificationAnswer },
      handle: async ({ principal: secret, params: { verificationId }, context }) => {
        const by = asApplicant(context, verificationId);
        const holder = { verificationId, secret };
        return { body: wireView(await cancelVerification(dependencies, holder, by)) };
      },
    }),
    stepRow(
      { segment: 'citizen-card', summary: 'Sends what stands on the citizen card.' },
      citizenCardBody,
      (input) => ({ method: 'citizenCard', input }),
    ),
    stepRow(
      {
        ...{ segment: 'passport', summary: "Sends what was read from a passport's chip." },
        ...{ maxBodyBytes: PASSPORT_BODY_BYTES, guardBeforeBody: true },
      },
      passportBody,
      (input) => ({ method: 'passport', input }),
    ),
  ];
}

function wireView({ verified, ...view }: VerificationView): object {
  return { ...view, verified: verified && wireVerified(verified) };
}

function wireVerified({ enrolmentToken, expiresAt, etsi }: VerifiedIdentity): object {
  return { enrolmentToken, expiresAt: expiresAt.toISOString(), etsi };
}

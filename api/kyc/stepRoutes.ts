import type { z } from 'zod';
import {
  type Step,
  submitStep,
  type SubmitStepDependencies,
} from '../../application/identityVerification/submitStep.ts';
import { asApplicant } from '../http/handling.ts';
import type { AddressLimit } from '../http/route.ts';
import { type Route, route, type RouteDefinition } from '../http/route.ts';
import { verificationSecret } from './guard.ts';
import {
  citizenCardBody,
  danBody,
  gsignBody,
  gsignBodyBytes,
  PASSPORT_BODY_BYTES,
  passportBody,
  verificationAnswer,
  verificationPath,
} from './schemas.ts';
import { wireView } from './wire.ts';

export interface StepRouteDependencies extends SubmitStepDependencies {
  readonly addressLimit: AddressLimit;
}

interface StepRoute<Body> extends Pick<
  RouteDefinition<unknown, unknown, unknown, Body>,
  'summary' | 'maxBodyBytes' | 'guardBeforeBody'
> {
  /** Last path segment. */
  readonly segment: string;
  readonly body: z.ZodType<Body>;
  readonly toStep: (body: Body) => Step;
}

/** Routes of the steps of each method. */
export function createStepRoutes(dependencies: StepRouteDependencies): readonly Route[] {
  function stepRoute<Body>({ segment, toStep, ...rest }: StepRoute<Body>): Route {
    return route({
      ...rest,
      name: `kyc_step_${segment.replace('-', '_')}`,
      limit: dependencies.addressLimit,
      method: 'POST',
      path: `/v3/kyc/verifications/:verificationId/steps/${segment}`,
      underLoad: 'refuseFirst',
      guard: verificationSecret,
      params: verificationPath,
      response: { 200: verificationAnswer },
      handle: async ({ principal: secret, params: { verificationId }, body, context }) => {
        const by = asApplicant(context, verificationId);
        const holder = { verificationId, secret };
        return { body: wireView(await submitStep(dependencies, holder, toStep(body), by)) };
      },
    });
  }

  return [
    stepRoute({
      segment: 'citizen-card',
      summary: 'Send the data on the citizen card',
      body: citizenCardBody,
      toStep: (input) => ({ method: 'citizenCard', input }),
    }),
    stepRoute({
      segment: 'dan',
      summary: 'Send the result of the sign-in at the external authority',
      body: danBody,
      toStep: (input) => ({ method: 'dan', input }),
    }),
    stepRoute({
      segment: 'gsign',
      summary: 'Send a signature over the challenge, with its certificate',
      body: gsignBody,
      maxBodyBytes: gsignBodyBytes,
      toStep: (input) => ({ method: 'gsign', input }),
    }),
    stepRoute({
      segment: 'passport',
      summary: 'Send the data read from a passport chip',
      body: passportBody,
      maxBodyBytes: PASSPORT_BODY_BYTES,
      guardBeforeBody: true,
      toStep: (input) => ({ method: 'passport', input }),
    }),
  ];
}

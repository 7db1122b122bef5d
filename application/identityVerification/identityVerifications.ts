import type {
  IdentityVerificationEvent,
  VerificationMethod,
} from '../../domain/identityVerification/events.ts';
import {
  type IdentityVerification,
  type IdentityVerificationCommand,
  identityVerificationDecider,
} from '../../domain/identityVerification/identityVerification.ts';
import { type Aggregate, type AggregateDependencies, createAggregate } from '../handleCommand.ts';

/** The identity verification aggregate bound to its store; its id is a UUID. */
export type IdentityVerifications = Aggregate<
  IdentityVerification,
  IdentityVerificationCommand,
  IdentityVerificationEvent
>;

/**
 * Called with the result of attempts and verifications.
 * @param result `OK`, the reason of a failed attempt, or the end of a verification without one
 */
export type CountVerification = (method: VerificationMethod, result: string) => void;

export interface IdentityVerificationStores extends AggregateDependencies<IdentityVerification> {
  readonly count?: CountVerification;
}

export function createIdentityVerifications({
  count = () => undefined,
  ...dependencies
}: IdentityVerificationStores): IdentityVerifications {
  const verifications = createAggregate(
    'identityVerification',
    identityVerificationDecider,
    dependencies,
  );
  return {
    ...verifications,
    async handle(id, command, context) {
      const handled = await verifications.handle(id, command, context);
      if (handled.state.status === 'NONE') return handled;
      const { method } = handled.state.started;
      for (const result of handled.events.flatMap(resultOf)) count(method, result);
      return handled;
    },
  };
}

function resultOf(event: IdentityVerificationEvent): readonly string[] {
  switch (event.type) {
    case 'IdentityVerificationSucceeded':
      return ['OK'];
    case 'IdentityVerificationAttemptFailed':
      return [event.data.reason];
    case 'IdentityVerificationExhausted':
      return ['EXHAUSTED'];
    case 'IdentityVerificationExpired':
      return ['EXPIRED'];
    case 'IdentityVerificationCancelled':
      return ['CANCELLED'];
    default:
      return [];
  }
}

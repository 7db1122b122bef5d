import {
  type IdentityVerificationEvent,
  identityVerificationEvents,
  type VerificationFailure,
  type VerificationMethod,
} from '../../domain/identityVerification/events.ts';
import type { VerificationStatus } from '../../domain/identityVerification/identityVerification.ts';
import { unreachable } from '../../domain/shared/decider.ts';
import { int8, nullable, type RowOf, type TableOf, text, timestamptz } from '../engine/columns.ts';
import { readModel } from '../engine/readModel.ts';

const columns = {
  verification_id: text(),
  method: text<VerificationMethod>(),
  status: text<VerificationStatus>(),
  /** Of whoever was verified. */
  civil_id: nullable(text()),
  attempts: int8(),
  last_failure: nullable(text<VerificationFailure>()),
  started_at: timestamptz(),
  expires_at: timestamptz(),
  ended_at: nullable(timestamptz()),
  revision: int8(),
};

/** An identity verification as folded; times are ISO strings. */
export type IdentityVerificationRow = RowOf<typeof columns>;
export type IdentityVerificationTable = TableOf<typeof columns>;

function evolve(
  row: IdentityVerificationRow | undefined,
  event: IdentityVerificationEvent,
): IdentityVerificationRow | undefined {
  if (event.type === 'IdentityVerificationStarted') {
    const { verificationId, method, startedAt, expiresAt } = event.data;
    return {
      verification_id: verificationId,
      method,
      status: 'PENDING',
      civil_id: null,
      attempts: 0n,
      last_failure: null,
      started_at: startedAt,
      expires_at: expiresAt,
      ended_at: null,
      revision: 0n,
    };
  }
  return row === undefined ? undefined : change(row, event);
}

function change(
  row: IdentityVerificationRow,
  event: Exclude<IdentityVerificationEvent, { type: 'IdentityVerificationStarted' }>,
): IdentityVerificationRow {
  switch (event.type) {
    case 'IdentityVerificationAttempted':
      return { ...row, attempts: BigInt(event.data.attempt) };
    case 'IdentityVerificationAttemptFailed':
      return { ...row, last_failure: event.data.reason };
    case 'IdentityVerificationSucceeded': {
      const { civilId, verifiedAt } = event.data;
      return { ...row, status: 'VERIFIED', civil_id: civilId, ended_at: verifiedAt };
    }
    case 'IdentityVerificationExhausted':
      return { ...row, status: 'EXHAUSTED', ended_at: event.data.exhaustedAt };
    case 'IdentityVerificationExpired':
      return { ...row, status: 'EXPIRED', ended_at: event.data.expiredAt };
    case 'IdentityVerificationCancelled':
      return { ...row, status: 'CANCELLED', ended_at: event.data.cancelledAt };
    default:
      return unreachable(event);
  }
}

/** The identity verifications read model, table `identity_verification_view`. */
export const identityVerificationsReadModel = readModel({
  name: 'identityVerifications',
  table: 'identity_verification_view',
  events: identityVerificationEvents,
  key: 'verification_id',
  columns,
  shown: ['method', 'status', 'attempts', 'last_failure', 'expires_at'],
  evolve,
  topics: () => [],
  isFinal: ({ status }) => status !== 'PENDING',
});

import { expect } from 'chai';
import type { IdentityVerificationEvent } from '../../domain/identityVerification/events.ts';
import {
  attemptsLeft,
  identityVerificationDecider,
} from '../../domain/identityVerification/identityVerification.ts';
import { fold } from '../../domain/shared/decider.ts';
import { given } from '../support/assertions/deciderSpecification.ts';

const now = '2026-01-01T00:05:00.000Z';
const expiresAt = '2026-01-01T00:15:00.000Z';
const givenEvents = given(identityVerificationDecider);

const started = {
  type: 'IdentityVerificationStarted',
  data: {
    verificationId: 'v',
    method: 'gsign',
    secretHash: 'h',
    attemptsAllowed: 2,
    startedAt: '2026-01-01T00:00:00.000Z',
    expiresAt,
  },
} as const;
const attempted = (attempt: number): IdentityVerificationEvent => ({
  type: 'IdentityVerificationAttempted',
  data: { attempt, attemptedAt: now },
});
const failed = (attempt: number, counts = true): IdentityVerificationEvent => ({
  type: 'IdentityVerificationAttemptFailed',
  data: { attempt, reason: counts ? 'SIGNATURE_INVALID' : 'UNAVAILABLE', counts, failedAt: now },
});
const exhausted: IdentityVerificationEvent = {
  type: 'IdentityVerificationExhausted',
  data: { exhaustedAt: now },
};
const found = {
  attempt: 1,
  civilId: '110000000001',
  evidence: { certificateSerial: '2d7c' },
  enrolmentTokenHash: 't',
  tokenExpiresAt: '2026-01-01T00:20:00.000Z',
};
const succeeded: IdentityVerificationEvent = {
  type: 'IdentityVerificationSucceeded',
  data: { ...found, verifiedAt: now },
};

const begin = { type: 'BeginAttempt', started: started.data, now } as const;
const succeed = { type: 'SucceedAttempt', ...found, now } as const;
const fail = (attempt: number, counts = true) =>
  ({
    type: 'FailAttempt',
    attempt,
    reason: counts ? 'SIGNATURE_INVALID' : 'UNAVAILABLE',
    counts,
    now,
  }) as const;

describe('An identity verification', () => {
  it('R5: is recorded with its first attempt, not with its start', () => {
    givenEvents([])
      .when(begin)
      .then([started, attempted(1)]);
    givenEvents([])
      .when({ ...begin, now: expiresAt })
      .thenRefuses('VERIFICATION_EXPIRED');
    givenEvents([]).when(succeed).thenRefuses('VERIFICATION_NOT_FOUND');
  });

  it('counts an attempt when it begins', () => {
    givenEvents([started])
      .when(begin)
      .then([attempted(1)]);
    givenEvents([started, attempted(1)])
      .when(begin)
      .then([attempted(2)]);
    givenEvents([started, attempted(1), attempted(2)])
      .when(begin)
      .thenRefuses('VERIFICATION_ENDED');
  });

  it('gives an attempt back that was spoilt by somebody else', () => {
    givenEvents([started, attempted(1)])
      .when(fail(1, false))
      .then([failed(1, false)]);
    const after = fold(identityVerificationDecider, [started, attempted(1), failed(1, false)]);
    expect(after.status === 'PENDING' && attemptsLeft(after, now)).to.equal(2);
    givenEvents([started, attempted(1), failed(1, false), attempted(2), failed(2), attempted(3)])
      .when(fail(3))
      .then([failed(3), exhausted]);
  });

  it('O5: gives an attempt back that an outage left without an outcome, once it cannot get one', () => {
    const later = (seconds: number) => new Date(Date.parse(now) + seconds * 1000).toISOString();
    const open = givenEvents([started, attempted(1), attempted(2)]);
    open.when({ ...begin, now: later(59) }).thenRefuses('VERIFICATION_ENDED');
    open
      .when({ ...begin, now: later(60) })
      .then([
        { type: 'IdentityVerificationAttempted', data: { attempt: 3, attemptedAt: later(60) } },
      ]);
    givenEvents([started, attempted(1), failed(1), attempted(2), failed(2)])
      .when({ ...begin, now: later(599) })
      .thenRefuses('VERIFICATION_ENDED');
  });

  it('ends with the last attempt that fails', () => {
    givenEvents([started, attempted(1), failed(1), attempted(2)])
      .when(fail(2))
      .then([failed(2), exhausted]);
    givenEvents([started, attempted(1), failed(1), attempted(2), failed(2), exhausted])
      .when(begin)
      .thenRefuses('VERIFICATION_ENDED');
  });

  it('succeeds once, with one token', () => {
    givenEvents([started, attempted(1)])
      .when(succeed)
      .then([succeeded]);
    givenEvents([started, attempted(1), succeeded])
      .when(succeed)
      .then([]);
    givenEvents([started, attempted(1), succeeded])
      .when({ ...succeed, enrolmentTokenHash: 'of another' })
      .thenRefuses('VERIFICATION_ENDED');
    givenEvents([started, attempted(1), succeeded])
      .when(begin)
      .thenRefuses('VERIFICATION_ENDED');
    givenEvents([started, attempted(1), succeeded])
      .when(fail(1))
      .then([]);
  });

  it('takes nothing any more when its time is up, expired yet or not', () => {
    givenEvents([started])
      .when({ ...begin, now: expiresAt })
      .thenRefuses('VERIFICATION_EXPIRED');
    givenEvents([started, attempted(1)])
      .when({ ...succeed, now: expiresAt })
      .thenRefuses('VERIFICATION_EXPIRED');
  });

  it('expires when its time is up, not before, and only while it is open', () => {
    const expired: IdentityVerificationEvent = {
      type: 'IdentityVerificationExpired',
      data: { expiredAt: expiresAt },
    };
    const expire = { type: 'ExpireVerification', now: expiresAt } as const;
    givenEvents([started]).when(expire).then([expired]);
    givenEvents([started])
      .when({ ...expire, now })
      .then([]);
    givenEvents([started, expired]).when(expire).then([]);
    givenEvents([started, attempted(1), succeeded])
      .when(expire)
      .then([]);
  });

  it('is given up by whoever started it, while it is open', () => {
    const cancelled: IdentityVerificationEvent = {
      type: 'IdentityVerificationCancelled',
      data: { cancelledAt: now },
    };
    const cancel = { type: 'CancelVerification', started: started.data, now } as const;
    givenEvents([started]).when(cancel).then([cancelled]);
    givenEvents([started, cancelled]).when(cancel).then([]);
    givenEvents([started, cancelled]).when(begin).thenRefuses('VERIFICATION_ENDED');
  });
});

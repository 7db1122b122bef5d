import { expect } from 'chai';
import { errors } from 'oidc-provider';
import { keepPace } from '../../infrastructure/oidc/pollPace.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { memoryOidcState } from '../support/doubles/memoryOidcState.ts';

describe('The pace of polls (RFC 8628 §3.5, CIBA Core §11)', () => {
  it('lets one of several at the same time pass, and the next one five seconds later', async () => {
    let now = new Date('2026-06-01T00:00:00.000Z');
    const polls = { state: memoryOidcState(), clock: { now: () => now } };
    const tries = await Promise.allSettled([1, 2, 3].map(() => keepPace(polls, 'a code')));
    expect(tries.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    await keepPace(polls, 'another code');
    now = new Date(now.getTime() + 4000);
    expect(await rejection(keepPace(polls, 'a code'))).to.be.instanceOf(errors.SlowDown);
    now = new Date(now.getTime() + 1000);
    await keepPace(polls, 'a code');
  });
});

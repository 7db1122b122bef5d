import { expect } from 'chai';
import { createQuota, placesOfBytes, placesOfMegabytes } from '../../application/attempts.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import type { Refusal } from '../../domain/shared/refusal.ts';
import { createMemoryAttemptLimits } from '../../infrastructure/system.ts';
import { rejection } from '../support/assertions/rejection.ts';

const MB = 1024 * 1024;

const refusal = async (promise: Promise<unknown>) => (await rejection(promise)) as Refusal;

describe('N14: A quota', () => {
  const clock = { now: () => new Date('2026-06-01T00:00:00Z') };
  const made = () => Promise.resolve('made');

  function quota(most: { readonly things: number; readonly megabytes: number }) {
    const windowMs = 24 * 60 * 60_000;
    const now = () => clock.now().getTime();
    const limits = (attempts: number) => createMemoryAttemptLimits({ attempts, windowMs, now });
    return createQuota(
      [
        {
          limit: { what: `At most ${most.things} documents in 24 hours.`, setting: 'SVC_THINGS' },
          counts: limits(most.things),
        },
        {
          limit: { what: `At most ${most.megabytes} MB in 24 hours.`, setting: 'SVC_MEGABYTES' },
          counts: limits(placesOfMegabytes(most.megabytes)),
          placesOf: placesOfBytes,
        },
      ],
      clock,
    );
  }

  it('refuses one caller more things, and says limit, setting and until when', async () => {
    const { spend } = quota({ things: 2, megabytes: 100 });
    for (let each = 0; each < 2; each += 1) expect(await spend('one', 0, made)).to.equal('made');
    const refused = await refusal(spend('one', 0, made));
    expect(refused.code).to.equal('QUOTA_EXCEEDED');
    expect(refused.detail).to.equal(
      'At most 2 documents in 24 hours. Limited by SVC_THINGS until 2026-06-02T00:00:00.000Z.',
    );
    expect(refused.retryAfterSeconds).to.equal(86_400);
    expect(await spend('other', 0, made)).to.equal('made');
  });

  it('counts bytes, up to the last that fits', async () => {
    const { spend } = quota({ things: 100, megabytes: 10 });
    await spend('one', 9 * MB, made);
    const { detail } = await refusal(spend('one', MB + 1, made));
    expect(detail).to.contain('At most 10 MB').and.to.contain('SVC_MEGABYTES');
    expect(await spend('one', MB, made)).to.equal('made');
    expect((await refusal(spend('one', 1, made))).code).to.equal('QUOTA_EXCEEDED');
  });

  it('gives back what was not made, the things of what is too large, too', async () => {
    const { spend } = quota({ things: 1, megabytes: 1 });
    const failing = () => Promise.reject(new Unavailable('fileStore'));
    for (let each = 0; each < 3; each += 1) {
      expect(await rejection(spend('one', MB, failing))).to.be.instanceOf(Unavailable);
      expect((await refusal(spend('one', 2 * MB, made))).code).to.equal('QUOTA_EXCEEDED');
    }
    expect(await spend('one', MB, made)).to.equal('made');
  });
});

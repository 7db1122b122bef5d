import { expect } from 'chai';
import { createOperatorGuards } from '../../api/admin/guard.ts';
import type { RequestContext } from '../../api/http/route.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import { createMemoryAttemptLimits } from '../../infrastructure/system.ts';

const adminKey = 'the key behind the glass';

describe('R5: wrong break-glass keys are throttled as wrong passwords are', () => {
  function guarded() {
    let time = 0;
    const seen: string[] = [];
    const { signedIn } = createOperatorGuards({
      findSession: () => Promise.resolve(null),
      adminKey,
      openToAll: false,
      keyLimit: createMemoryAttemptLimits({ attempts: 3, now: () => time }),
      clock: { now: () => new Date(time) },
      breakGlass: {
        used: () => Promise.resolve(void seen.push('used')),
        refused: () => void seen.push('refused'),
        throttled: () => void seen.push('throttled'),
      },
    });
    return {
      seen,
      pass: (ms: number) => {
        time += ms;
      },
      async outcome(key: string, ip = '192.0.2.1'): Promise<string> {
        const context = { ip, headers: { 'x-admin-key': key } } as unknown as RequestContext;
        try {
          return (await signedIn.check(context)).id;
        } catch (error) {
          if (isRefusal(error)) return error.code;
          throw error;
        }
      },
    };
  }

  it('refuses every key of an address after three wrong ones, until the time is over', async () => {
    const { outcome, pass, seen } = guarded();
    for (const wrong of ['', 'x', `${adminKey}.`]) {
      expect(await outcome(wrong)).to.equal('UNAUTHENTICATED');
    }
    expect(await outcome('y')).to.equal('RATE_LIMITED');
    expect(await outcome(adminKey)).to.equal('RATE_LIMITED');
    expect(await outcome(adminKey, '192.0.2.2')).to.equal('break-glass');
    pass(15 * 60_000);
    expect(await outcome(adminKey)).to.equal('break-glass');
    expect(seen).to.deep.equal([
      ...['refused', 'refused', 'refused', 'throttled', 'throttled', 'used', 'used'],
    ]);
  });

  it('counts no right key', async () => {
    const { outcome } = guarded();
    for (let uses = 0; uses < 10; uses += 1)
      expect(await outcome(adminKey)).to.equal('break-glass');
  });
});

import { expect } from 'chai';
import {
  createLoginEndingReactors,
  type EndLoginsReactorOptions,
} from '../../application/openIdConnect/accounts.ts';
import {
  type CitizenConsentsDependencies,
  createCitizenConsents,
} from '../../application/openIdConnect/citizenConsents.ts';
import type { RecordedEvent } from '../../application/ports/eventStore.ts';
import { manualClock } from '../support/doubles/memoryPorts.ts';

const civilId = '110000000001';

/** Ends logins of a citizen who has another usable certificate. */
async function endedBy(event: object): Promise<readonly string[]> {
  const ended: string[] = [];
  const holder = { kind: 'citizen', civilId };
  const [whenUnusable] = createLoginEndingReactors({
    state: {
      sessionsOf: () => Promise.resolve([]),
      removeOfCitizen: (id: string) => Promise.resolve(ended.push(id) > 0),
    },
    engine: { announceLogout: () => Promise.resolve() },
    accessLog: () => Promise.resolve(),
    certificates: {
      load: () => Promise.resolve({ state: { status: 'REVOKED', requested: { holder } } }),
    },
    findAccount: () => Promise.resolve({ civilId }),
    progress: { untilProjected: () => Promise.resolve() },
    clock: manualClock(),
  } as unknown as EndLoginsReactorOptions);
  await whenUnusable?.retry?.({ id: 'event', position: 1n, event } as unknown as RecordedEvent);
  return ended;
}

describe('Logins of a citizen', () => {
  it('end with a phone that somebody else may have, though another phone is left', async () => {
    const revoked = (reason: number) => ({
      type: 'CertificateRevoked',
      data: { serial: '0b', reason, revokedAt: '2026-01-01T00:00:00.000Z' },
    });
    expect(await endedBy(revoked(1)), 'keyCompromise').to.deep.equal([civilId]);
    expect(await endedBy(revoked(5)), 'cessationOfOperation').to.deep.equal([]);
  });

  it("open the citizen's page for a quarter of an hour, then again after a login", async () => {
    const asked: (number | undefined)[] = [];
    const consents = createCitizenConsents({
      engine: {
        loggedIn: (_cookies: string | undefined, maxAge?: number) => {
          asked.push(maxAge);
          return Promise.resolve(null);
        },
      },
      randomness: { bytes: (count: number) => Buffer.alloc(count) },
      authorizationEndpoint: () => 'https://id.example/oidc/authorize',
      returnAddress: (page: string) => `https://id.example${page}/return`,
    } as unknown as CitizenConsentsDependencies);
    expect(await consents.show('cookie')).to.equal(null);
    expect(asked).to.deep.equal([900]);
    const address = new URL(consents.loginAddress('mn', '/me'));
    expect(address.searchParams.get('max_age')).to.equal('900');
  });
});

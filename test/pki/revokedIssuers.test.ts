import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import type { CertificateStatus } from '../../application/certificate/ports/certificateStatuses.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import { revocationListTopic } from '../../domain/shared/streams.ts';
import { createRevocationListBuilder } from '../../infrastructure/crl/revocationListBuilder.ts';
import {
  createRevokedIssuers,
  statusesUnderRoot,
} from '../../infrastructure/pki/revokedIssuers.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { startTestAuthority, type TestAuthority } from '../support/doubles/memoryPki.ts';
import { givenInMemory } from '../support/given/inMemory.ts';
import { ecKey, order } from '../support/pki/pkiFixtures.ts';

const REVOKED_AT = '2026-02-03T04:05:06.000Z';

describe('An authority that its root revoked', () => {
  const { notifications: feed } = givenInMemory();
  let root: Buffer | null = null;
  let isUp = true;
  const revokedIssuers = createRevokedIssuers({
    feed: { ...feed, isListening: () => true },
    lists: {
      newest: (authority) => {
        if (!isUp) return Promise.reject(new Unavailable('database'));
        const times = { thisUpdate: new Date(), nextUpdate: new Date() };
        return Promise.resolve(root && { authority, number: 1n, der: root, ...times });
      },
    },
  });
  let pki: TestAuthority;
  before(async () => {
    pki = await startTestAuthority({ revokedIssuers });
  });
  beforeEach(() => {
    isUp = true;
    root = null;
    feed.notify([revocationListTopic('root')]);
  });
  after(async () => {
    revokedIssuers.stop();
    await pki.stop();
  });

  async function revoke(reason: number): Promise<void> {
    const { certificate } = pki.authority.issuer('personal');
    const builder = createRevocationListBuilder(pki.authority.issuer('root'), pki.vault);
    builder.load({
      authority: 'root',
      state: 'revoked',
      serial: new X509Certificate(certificate).serialNumber.toLowerCase(),
      reason,
      revokedAt: REVOKED_AT,
      notAfter: '2099-01-01T00:00:00.000Z',
    });
    const thisUpdate = new Date(REVOKED_AT);
    root = await builder.sign({ number: 1n, thisUpdate, nextUpdate: new Date('2099-01-01') });
    feed.notify([revocationListTopic('root')]);
  }

  const issue = () => pki.authority.issue(order(ecKey().publicKey));

  const statusOf = async (revocation: CertificateStatus['revocation']) => {
    const status = { serial: 'aa', authority: 'personal', revocation } as const;
    const known = { statuses: () => Promise.resolve([status]) };
    const [found] = await statusesUnderRoot(known, pki.authority, revokedIssuers).statuses(['aa']);
    return found && 'revocation' in found ? found.revocation : undefined;
  };

  it('issues no certificate from the announcement of the list on', async () => {
    await issue();
    await revoke(4);
    const refused = await rejection(issue());
    expect(refused).to.be.instanceOf(Unavailable).with.property('dependency', 'issuingAuthority');
  });

  it('issues none while nobody knows', async () => {
    isUp = false;
    feed.notify([revocationListTopic('root')]);
    expect(await rejection(issue())).to.be.instanceOf(Unavailable);
    isUp = true;
    await issue();
  });

  it('has no good certificate', async () => {
    expect(await statusOf(null)).to.equal(null);
    await revoke(4);
    const at = new Date(REVOKED_AT);
    expect(await statusOf(null)).to.deep.equal({ reason: 4, at });
    expect(await statusOf({ reason: 6, at: new Date(0) })).to.deep.equal({ reason: 4, at });
    const own = { reason: 1, at: new Date(0) };
    expect(await statusOf(own)).to.deep.equal(own);
  });

  for (const reason of [1, 2]) {
    it(`has certificates that end for cACompromise after reason ${reason}`, async () => {
      await revoke(reason);
      expect(await statusOf(null)).to.deep.equal({ reason: 2, at: new Date(REVOKED_AT) });
    });
  }
});

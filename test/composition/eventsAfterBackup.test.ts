import { Readable } from 'node:stream';
import { expect } from 'chai';
import type { StoredEvent } from '../../domain/merkle/hashTree.ts';
import { type Repeating, sumUp } from '../../main/composition/eventsAfterBackup.ts';
import { manualClock } from '../support/doubles/memoryPorts.ts';

function exported(...events: readonly { readonly type: string }[]): AsyncIterable<StoredEvent> {
  return Readable.from(
    events.map(({ type, ...data }, index) => ({
      position: BigInt(index),
      stream: 'certificate-4a01',
      type,
      data: JSON.stringify(data),
    })),
  );
}

describe('Events after a backup', () => {
  const revoked = {
    type: 'CertificateRevoked',
    serial: '4a01',
    reason: 1,
    revokedAt: '2026-05-01',
  };
  const request = { authority: 'organization', notAfter: '2028-01-01' } as const;
  const repeating = {} as Repeating;

  const authorities = async (
    events: readonly { readonly type: string }[],
    requested: (serial: string) => typeof request | null,
  ) => {
    const requestOf = (serial: string) => Promise.resolve(requested(serial));
    const found = await sumUp(exported(...events), { repeating, requestOf, clock: manualClock() });
    return Array.from(found.revocations.values(), ({ authority }) => authority);
  };

  it('file a revocation under the authority that the backup has the request of', async () => {
    expect(await authorities([revoked], () => request)).to.deep.equal(['organization']);
  });

  it('file it under the authority of their own request', async () => {
    const requested = { type: 'CertificateRequested', serial: '4a01', holder: { kind: 'service' } };
    const events = [{ ...requested, ...request, authority: 'personal-2' }, revoked];
    expect(await authorities(events, () => null)).to.deep.equal(['personal-2']);
  });
});

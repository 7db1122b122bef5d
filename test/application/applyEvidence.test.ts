import { expect } from 'chai';
import { applyRevocations } from '../../application/log/applyEvidence.ts';
import type { ShownRevocation } from '../../application/log/ports/evidence.ts';
import { createAggregate } from '../../application/handleCommand.ts';
import { certificateDecider } from '../../domain/certificate/certificate.ts';
import { deviceDecider } from '../../domain/device/device.ts';
import { manualClock } from '../support/doubles/memoryPorts.ts';
import { givenInMemory } from '../support/given/inMemory.ts';
import { requestFrom } from '../support/worlds/signInWorld.ts';

describe('Evidence of what a restored backup had not', () => {
  it('says which authority is not installed, for which nobody publishes', async () => {
    const { stores } = givenInMemory();
    const kept: string[] = [];
    const revoked = (serial: string, authority: ShownRevocation['authority']) => ({
      serial,
      authority,
      reason: 1,
      revokedAt: new Date('2026-05-01T00:00:00.000Z'),
      notAfter: new Date('2030-01-01T00:00:00.000Z'),
    });

    const findings = await applyRevocations(
      {
        certificates: createAggregate('certificate', certificateDecider, stores),
        devices: createAggregate('device', deviceDecider, stores),
        clock: manualClock(null),
        statuses: { statuses: () => Promise.resolve([]) },
        lost: {
          keep: ({ serial }) => {
            kept.push(serial);
            return Promise.resolve(true);
          },
        },
        isInstalled: (authority) => authority !== 'personal-2',
      },
      [revoked('4a01', 'personal'), revoked('4a02', 'personal-2'), revoked('4a03', 'personal-2')],
      requestFrom('192.0.2.1'),
    );

    expect(kept, 'for when it is installed').to.deep.equal(['4a01', '4a02', '4a03']);
    expect(findings.filter(({ isApplied }) => !isApplied)).to.deep.equal([
      {
        what: 'nobody publishes the revocations of personal-2: install its certificate (./tamga ceremony install), or have the root revoke it',
        isApplied: false,
      },
    ]);
  });
});

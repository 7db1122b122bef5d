import { expect } from 'chai';
import { certificateOperations } from '../../application/certificate/revocation.ts';
import type { DomainEvent } from '../../domain/shared/decider.ts';
import {
  certificateIssued,
  certificateRequested,
  deviceEnrolled,
  recordable,
} from '../support/events/exampleEvents.ts';
import { givenInMemory } from '../support/given/inMemory.ts';

const civilId = '100000000001';
const certificate = (serial: string) => ({
  target: `certificate ${serial}`,
  before: 'VALID',
  after: 'REVOKED for reason 1',
});
const device = { target: 'device d1', before: 'ACTIVE', after: 'DEACTIVATED' };

describe('The effects that an approver is shown', () => {
  let operations: ReturnType<typeof certificateOperations>;

  beforeEach(async () => {
    const parts = givenInMemory();
    const given = (stream: string, ...events: readonly DomainEvent[]) =>
      parts.eventStore.append(
        stream,
        events.map((event) => recordable(event)),
        'none',
      );
    const holder = { kind: 'citizen', civilId, documentNumber: 'd1' } as const;
    for (const serial of ['d1a', 'd1b']) {
      const requested = certificateRequested(serial, { holder });
      await given(`certificate-${serial}`, requested, certificateIssued(serial, civilId));
    }
    const serials = { authenticationSerial: 'd1a', signingSerial: 'd1b' };
    await given('device-d1', deviceEnrolled('d1', { civilId, ...serials }));
    operations = certificateOperations(parts);
  });

  it('of revoking a certificate are the end of its phone and of the other certificate there', async () => {
    const { effects } = await operations['certificate.revoke'].plan({
      operation: 'certificate.revoke',
      serial: 'D1:A',
      reason: 1,
    });
    expect(effects).to.deep.equal([certificate('d1a'), device, certificate('d1b')]);
  });

  it('of deactivating a phone are the end of both its certificates', async () => {
    const { effects } = await operations['device.deactivate'].plan({
      operation: 'device.deactivate',
      documentNumber: 'd1',
      reason: 1,
    });
    expect(effects).to.deep.equal([device, certificate('d1a'), certificate('d1b')]);
  });
});

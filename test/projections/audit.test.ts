import { expect } from 'chai';
import { eventually } from '../support/assertions/eventually.ts';
import { openReadSide } from '../support/events/readSide.ts';
import { recordable } from '../support/events/exampleEvents.ts';
import { sampleEvents } from '../support/events/sampleEvents.ts';
import { createAuditTrail } from '../../projections/audit/auditTrail.ts';

describe('The audit', () => {
  it('shows seals made and refused and certificates issued, with actor, subject and outcome', async () => {
    const side = await openReadSide();
    try {
      const { SealCertificateRequested, SealCertificateIssued, DocumentSealed, SealDenied } =
        sampleEvents;
      const { register } = DocumentSealed.data;
      const certificate = [SealCertificateRequested, SealCertificateIssued];
      await side.eventStore.append(
        `sealCertificate-${register}`,
        certificate.map((event) => recordable(event, '2026-01-01T00:00:00.000Z')),
        'none',
      );
      await side.eventStore.append(
        `seal-${register}`,
        [
          recordable(DocumentSealed, '2026-01-01T00:00:01.000Z'),
          recordable(SealDenied, '2026-01-01T00:00:02.000Z'),
        ],
        'none',
      );
      side.projector().start();
      const trail = createAuditTrail(side.database, side.vault);
      await eventually(async () => {
        const entries = (await trail.auditEntries({}, { limit: 10, offset: 0 })).items;
        expect(
          entries.map(({ type, outcome, actor, subject }) => [type, outcome, actor.id, subject]),
        ).to.deep.equal([
          ['ORG_SEAL', 'DENIED', 'test', `NTRMN-${SealDenied.data.register}`],
          ['ORG_SEAL', 'OK', 'test', `NTRMN-${register}`],
          ['SEAL_CERT_ISSUE', 'OK', 'test', `NTRMN-${SealCertificateIssued.data.register}`],
          ['SEAL_CERT_REQUEST', 'OK', 'test', `NTRMN-${SealCertificateRequested.data.register}`],
        ]);
      });
      expect(side.failures).to.deep.equal([]);
    } finally {
      await side.close();
    }
  });
});

import { expect } from 'chai';
import { createAuditCsv } from '../../infrastructure/postgres/auditCsv.ts';
import { createAuditTrail } from '../../projections/audit/auditTrail.ts';
import { eventually } from '../support/assertions/eventually.ts';
import {
  certificateIssued,
  certificateRequested,
  deviceEnrolled,
  recordable,
} from '../support/events/exampleEvents.ts';
import { openReadSide, type ReadSide } from '../support/events/readSide.ts';
import { sampleEvents } from '../support/events/sampleEvents.ts';

describe('The audit of a person', () => {
  let side: ReadSide;
  const [civilId, another] = ['100000000001', '100000000002'];
  const etsi = `PNOMN-${civilId}`;
  const documentNumber = 'd0000000-0000-4000-8000-000000000001';

  before(async () => {
    side = await openReadSide();
    const read = sampleEvents.OperatorRead;
    for (const [stream, ...events] of [
      [`device-${documentNumber}`, deviceEnrolled(documentNumber)],
      ['device-other', deviceEnrolled('other', { civilId: another })],
      ['certificate-0a', certificateRequested('0a'), certificateIssued('0a', civilId)],
      [
        `device-${documentNumber}`,
        {
          ...sampleEvents.DeviceDeactivated,
          data: { documentNumber, reason: 1, deactivatedAt: '2026-01-02T00:00:00.000Z' },
        },
      ],
      [
        'device-other',
        {
          ...sampleEvents.DeviceDeactivated,
          data: { documentNumber: 'other', reason: 1, deactivatedAt: '2026-01-02T00:00:00.000Z' },
        },
      ],
      [
        'certificate-0a',
        {
          ...sampleEvents.CertificateRevoked,
          data: { serial: '0a', reason: 1, revokedAt: '2026-01-02T00:00:00.000Z' },
        },
      ],
      ['access-2026-01-02', { ...read, data: { ...read.data, subject: etsi } }],
      ['access-2026-01-02', { ...read, data: { ...read.data, subject: `PNOMN-${another}` } }],
    ] as const) {
      await side.eventStore.append(
        stream,
        events.map((event) => recordable(event)),
        'any',
      );
    }
    const projector = side.projector();
    projector.start();
    await projector.untilProjected((await side.eventStore.head()) ?? 0n);
  });

  after(async () => {
    await side.close();
  });

  const expected = [
    ...['OPERATOR_READ', 'CERT_REVOKE', 'DEVICE_DEACTIVATE', 'CERT_ISSUE', 'CERT_REQUEST'],
    'DEVICE_ENROL',
  ];

  it('has the end of their phone and certificate, and who read about them', async () => {
    const trail = createAuditTrail(side.database, side.vault);
    // Until its filter is counted, the audit answers an estimated total.
    const { items } = await eventually(async () => {
      const first = await trail.auditEntries({ subject: etsi }, { limit: 4, offset: 0 });
      expect(first.total).to.equal(expected.length);
      return first;
    });
    const rest = await trail.auditEntries({ subject: etsi }, { limit: 4, offset: 4 });
    expect([...items, ...rest.items].map(({ type }) => type)).to.deep.equal(expected);
  });

  it('is exported as it is listed', async () => {
    const csv = await createAuditCsv({ url: side.url, vault: side.vault }).csv({ subject: etsi });
    const text = await new Response(ReadableStream.from(csv)).text();
    const types = text
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',')[3]);
    expect(types).to.deep.equal(expected.toReversed());
  });
});

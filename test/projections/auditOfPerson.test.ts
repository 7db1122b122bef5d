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
import * as persons from '../../projections/audit/personOf.ts';

describe('The audit of a person', () => {
  let side: ReadSide;
  const [civilId, another] = ['100000000001', '100000000002'];
  const etsi = `PNOMN-${civilId}`;
  const documentNumber = 'd0000000-0000-4000-8000-000000000001';

  before(async () => {
    side = await openReadSide();
    const read = sampleEvents.OperatorRead;
    const { SessionStarted, SessionClaimed, SessionRefused, SessionFailed, SessionExpired } =
      sampleEvents;
    const { IdentityVerificationStarted, IdentityVerificationSucceeded } = sampleEvents;
    const { ApprovalRequested, ApprovalGranted } = sampleEvents;
    const ofPerson = <Event extends { readonly data: object }>(event: Event): Event => ({
      ...event,
      data: { ...event.data, civilId },
    });
    const anonymous = { ...SessionStarted, data: { ...SessionStarted.data, civilId: null } };
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
      ['session-refused', ofPerson(SessionStarted), SessionRefused],
      ['session-failed', ofPerson(SessionStarted), SessionFailed],
      ['session-expired', ofPerson(SessionStarted), SessionExpired],
      ['session-claimed', anonymous, ofPerson(SessionClaimed), SessionFailed],
      ['session-nobodys', anonymous, SessionExpired],
      ['identityVerification-1', IdentityVerificationStarted],
      ['identityVerification-1', ofPerson(IdentityVerificationSucceeded)],
      ['approval-1', ofPerson(ApprovalRequested), ApprovalGranted],
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
    ...['APPROVAL_GRANT', 'APPROVAL_REQUEST', 'KYC_SUCCEED', 'KYC_START'],
    ...['SESSION_FAIL', 'SESSION_CLAIM', 'SESSION_START', 'SESSION_EXPIRE', 'SESSION_START'],
    ...['SESSION_FAIL', 'SESSION_START', 'SESSION_REFUSE', 'SESSION_START'],
    ...['OPERATOR_READ', 'CERT_REVOKE', 'DEVICE_DEACTIVATE', 'CERT_ISSUE', 'CERT_REQUEST'],
    'DEVICE_ENROL',
  ];

  it('b12: has every event of what is theirs, and who read about them', async () => {
    const trail = createAuditTrail(side.database, side.vault);
    const { items } = await eventually(async () => {
      const first = await trail.auditEntries({ subject: etsi }, { limit: 4, offset: 0 });
      expect(first.total).to.equal(expected.length);
      return first;
    });
    const rest = await trail.auditEntries({ subject: etsi }, { limit: 40, offset: 4 });
    const entries = [...items, ...rest.items];
    expect(entries.map(({ type }) => type)).to.deep.equal(expected);
    for (const { type, person } of entries) {
      if (type !== 'OPERATOR_READ') expect(person, type).to.equal(etsi);
    }
  });

  it('is exported as it is listed', async () => {
    const csv = await createAuditCsv({ url: side.url, vault: side.vault, persons }).csv({
      subject: etsi,
    });
    const text = await new Response(ReadableStream.from(csv)).text();
    const rows = text
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(','));
    expect(rows.map((row) => row[3])).to.deep.equal(expected.toReversed());
    for (const row of rows) {
      if (row[3] !== 'OPERATOR_READ') expect(row[9], row[3]).to.equal(etsi);
    }
  });
});

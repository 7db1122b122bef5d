import { expect } from 'chai';
import { createAuditCsv } from '../../infrastructure/postgres/auditCsv.ts';
import { createAuditTrail } from '../../projections/audit/auditTrail.ts';
import { recordable } from '../support/events/exampleEvents.ts';
import { openReadSide } from '../support/events/readSide.ts';
import { sampleEvents } from '../support/events/sampleEvents.ts';
import * as persons from '../../projections/audit/personOf.ts';

describe('F12: IP addresses in the audit', function () {
  this.timeout(60_000);
  const civilId = '110000000001';
  let side: Awaited<ReturnType<typeof openReadSide>>;

  before(async () => {
    side = await openReadSide();
  });
  after(() => side.close());

  const listed = async () => {
    const trail = createAuditTrail(side.database, side.vault);
    const { items } = await trail.auditEntries({}, { limit: 10, offset: 0 });
    return items.map(({ ip }) => ip).toReversed();
  };
  const exported = async () => {
    const csv = await createAuditCsv({ url: side.url, vault: side.vault, persons }).csv({});
    const text = await new Response(ReadableStream.from(csv)).text();
    const [head = '', ...lines] = text.trimEnd().split('\n');
    const at = head.split(',').indexOf('ip');
    return lines.map((line) => line.split(',')[at]);
  };

  it('are shown and exported as they are, and no more once their person is forgotten', async () => {
    const { vault, eventStore, database } = side;
    const addresses = [
      await vault.encryptAddress(civilId, '192.0.2.7'),
      await vault.encryptAddress(null, '192.0.2.8'),
      '192.0.2.9',
      null,
    ];
    const events = addresses.map((ip) => {
      const event = recordable(sampleEvents.CertificateChosen);
      return { ...event, metadata: { ...event.metadata, ip } };
    });
    await eventStore.append('session-1', events, 'none');
    const projector = side.projector();
    projector.start();
    await projector.untilProjected((await eventStore.head()) ?? 0n);

    expect(await listed()).to.deep.equal(['192.0.2.7', '192.0.2.8', '192.0.2.9', null]);
    expect(await exported()).to.deep.equal(['192.0.2.7', '192.0.2.8', '192.0.2.9', '']);
    const kept = await database.selectFrom('audit_view').select('ip').execute();
    expect(JSON.stringify(kept)).not.to.contain('192.0.2.7');

    await vault.forget(civilId);
    expect(await listed()).to.deep.equal([null, '192.0.2.8', '192.0.2.9', null]);
    expect(await exported()).to.deep.equal(['', '192.0.2.8', '192.0.2.9', '']);
  });
});

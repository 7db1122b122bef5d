import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReplayReport } from '../../main/composition/audit.ts';
import { demoCitizens } from '../../main/cli/demo.ts';
import { eventLine, parseEventLine } from '../../infrastructure/export/eventLines.ts';
import { readModels } from '../../projections/readModels.ts';
import {
  type DemoInstallation,
  newChallenge,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { anOrganization } from '../support/given/wishes.ts';

const [bold, saran] = demoCitizens;
if (bold === undefined || saran === undefined) throw new Error('There are too few demo citizens.');

describe('Replaying an exported log', function () {
  this.timeout(120_000);
  let demo: DemoInstallation;
  let lines: readonly string[];

  before(async () => {
    demo = await startDemoInstallation();
    const phone = await demo.enrol(bold.civilId);
    await demo.enrol(saran.civilId);
    const { body } = await demo.create(
      `/authentication/notification/etsi/PNOMN-${bold.civilId}`,
      newChallenge(),
    );
    const request = await phone.phone.open(String(body['sessionID']));
    await phone.phone.confirm(request, phone.pin1);
    await demo.service.organizations.register(anOrganization('7712345', 'Ноён', 'NOYON'));
    const chunks: Uint8Array[] = [];
    for await (const chunk of await demo.service.auditExports.events()) chunks.push(chunk);
    lines = Buffer.concat(chunks).toString().trimEnd().split('\n');
  });

  after(() => demo.stop());

  async function replay(exported: readonly string[]): Promise<ReplayReport> {
    const path = join(demo.directory, 'export.jsonl');
    await writeFile(path, `${exported.join('\n')}\n`);
    return demo.service.auditExports.replay(path);
  }

  const model = ({ models }: ReplayReport, name: string) => {
    const found = models.find((each) => each.name === name);
    if (found === undefined || found.failure !== null) throw new Error(`${name} was not replayed.`);
    return found;
  };

  /** The export with one event changed. */
  function tampered(type: string, change: (data: Record<string, unknown>) => object) {
    const index = lines.findIndex((line) => line.includes(`"type":"${type}"`));
    const event = parseEventLine(lines[index] ?? '');
    const data = JSON.stringify(change(JSON.parse(event.data) as Record<string, unknown>));
    const other = [...lines];
    other[index] = eventLine({ ...event, data });
    return { line: index + 1, lines: other };
  }

  it('arrives at every read model that is running, sealed columns too', async () => {
    const report = await replay(lines);
    expect(report.log).to.deep.include({ events: lines.length, faultCount: 0 });
    expect(report.models.map(({ name }) => name)).to.deep.equal(readModels.map(({ name }) => name));
    expect(report.models.filter(({ failure }) => failure !== null)).to.deep.equal([]);
    expect(report.isEqual, JSON.stringify(report.models)).to.equal(true);
    for (const name of [
      'sessions',
      'citizens',
      'citizenSearch',
      'devices',
      'certificates',
      'audit',
    ]) {
      expect(model(report, name), name).to.include({ different: 0 });
      expect(model(report, name).rows, name).to.be.above(0);
      expect(model(report, name).notCompared, name).to.deep.equal({});
    }
  });

  it('O4: equals right after an upgrade, of a table that a former release folded', async () => {
    const database = createPool({ url: demo.databaseUrl });
    try {
      await demo.service.stop();
      await database.query(
        `update audit_view set details = '{"method": "citizenCard"}' where type = 'IDENTITY_VERIFY'`,
      );
      await database.query(`update checkpoint set fold = 0 where name = 'audit'`);
    } finally {
      await database.end();
    }
    await demo.service.start();
    const report = await replay(lines);
    expect(report.models.filter((each) => each.failure !== null || each.different > 0)).to.be.empty;
    expect(report.isEqual).to.equal(true);
  });

  it('takes what happened since from the running log', async () => {
    await demo.service.organizations.changeStatus('7712345', 'suspend');
    expect((await replay(lines)).isEqual).to.equal(true);
  });

  it('names the line that was changed, and the row and column it makes another', async () => {
    const changed = tampered('OrganizationRegistered', (data) => ({ ...data, name: 'Хэн' }));
    const report = await replay(changed.lines);
    expect(report.isEqual).to.equal(false);
    expect(report.log.faults.map(({ line }) => line)).to.deep.equal([changed.line]);
    const { different, first } = model(report, 'organizations');
    expect(different).to.equal(1);
    expect(first?.key).to.equal('7712345');
    expect(first?.columns).to.include('name').and.not.include('status');
    expect(model(report, 'sessions').different).to.equal(0);
  });

  it('notices what is missing, doubled, in another order, damaged or cut off', async () => {
    const [first = '', second = '', third = '', ...rest] = lines;
    const faultsOf = async (exported: readonly string[]) => {
      const { log, isEqual } = await replay(exported);
      expect(isEqual).to.equal(false);
      return log.faults.map(({ line }) => line);
    };
    expect(await faultsOf([first, third, ...rest])).to.include(2);
    expect(await faultsOf([first, second, second, third, ...rest])).to.include(3);
    expect(await faultsOf([second, first, third, ...rest])).to.include(2);
    expect(await faultsOf([first, second.replace('"data"', '"Data"'), third, ...rest])).to.include(
      2,
    );
    expect(
      await faultsOf([...lines.slice(0, -1), (lines.at(-1) ?? '').slice(0, -9)]),
    ).to.deep.equal([lines.length]);
  });

  it('says which read model an event no longer fits', async () => {
    const changed = tampered('SessionStarted', (data) => ({ ...data, kind: 'OTHER' }));
    const report = await replay(changed.lines);
    const failed = report.models.filter(({ failure }) => failure !== null).map(({ name }) => name);
    expect(failed).to.include.members(['sessions', 'audit']).and.not.include('citizens');
  });

  it('names what cannot be compared once a person was forgotten', async () => {
    await demo.service.forgetPerson(saran.civilId);
    const report = await replay(lines);
    expect(report.models.filter(({ failure }) => failure !== null)).to.deep.equal([]);
    expect(model(report, 'citizens').different).to.equal(0);
    expect(model(report, 'certificates').notCompared).to.deep.equal({ certificate: 2 });
    expect(report.isEqual).to.equal(true);
  });
});

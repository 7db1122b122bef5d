import { expect } from 'chai';
import { initialRelyingPartySettings } from '../../domain/relyingParty/settings.ts';
import { createOperatorTools } from '../../application/assistant/tools/operatorTools.ts';
import type { AssistantCaller } from '../../application/assistant/ports/assistant.ts';
import type { AuditEntry } from '../../application/audit/ports/auditTrail.ts';
import type { OperatorRole } from '../../domain/operator/capabilities.ts';

const nothing = { count: 0, p50: null, p90: null, p95: null, p99: null };
const entry: AuditEntry = {
  eventId: '0f6f5f0a-3c1e-4c55-8f0b-4f6d2f6c9a10',
  position: 7n,
  at: new Date('2026-01-01T00:00:00Z'),
  type: 'CITIZEN_ENROL',
  outcome: 'OK',
  actor: { kind: 'citizen', id: '110000000001' },
  capability: null,
  subject: 'PNOMN-110000000001',
  person: 'PNOMN-110000000001',
  requestId: null,
  ip: '192.0.2.7',
  details: { documentNumber: 'd' },
};

const phone: AuditEntry = {
  ...entry,
  type: 'DEVICE_DEACTIVATE',
  actor: { kind: 'operator', id: 'op' },
  subject: '0b8e6b0e-7a31-4b3c-9a4f-6f7f0a3d9b11',
};

const strangers = ['PASDE-C01X00T47', 'IDCMN-AA000001', '110000000002', 'уб90010112'];
const ofStrangers = strangers.map((subject): AuditEntry => ({ ...entry, subject }));

const asked: unknown[] = [];
let roleNow: OperatorRole | null = 'AUDITOR';
const tools = createOperatorTools({
  statistics: {
    statistics: (window) => {
      asked.push(window);
      return Promise.resolve({
        sessions: [{ kind: 'AUTHENTICATION', outcome: 'OK', count: 3 }],
        relyingParties: [],
        latency: nothing,
        enrolments: [],
        certificates: [],
        hours: [],
        devices: { active: 0, deactivated: 0 },
      });
    },
  },
  relyingPartyPage: (filter) => {
    asked.push(filter);
    return Promise.resolve({
      items: [
        {
          relyingPartyId: 'c56a4180',
          active: false,
          ...initialRelyingPartySettings,
          name: 'Bank',
          ipAllowlist: ['10.0.0.1'],
          permissions: ['AUTH'],
          subsystems: [],
          sealsFor: [],
          aliases: [],
          otherNames: false,
        },
      ],
      total: 1,
    });
  },
  auditTrail: {
    auditEntries: (filter, page) => {
      asked.push({ filter, page });
      return Promise.resolve({
        items: [entry, phone, ...ofStrangers],
        total: 6,
        isTotalExact: true,
        snapshot: null,
      });
    },
  },
  roleOf: () => Promise.resolve(roleNow),
  clock: { now: () => new Date('2026-01-01T10:30:00Z') },
});

function callerWith(role: OperatorRole | null): AssistantCaller {
  const operator = role === null ? null : { id: 'op', role };
  return { userId: 'op', operator, requestId: 'r', ip: '192.0.2.1', lang: 'en' };
}

/** @param now the role when the tool is run, after the question was let in with `role` */
function run(
  name: string,
  args: object,
  role: OperatorRole | null = 'AUDITOR',
  now: OperatorRole | null = role,
) {
  roleNow = now;
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`There is no ${name}.`);
  return tool.run({ ...args }, callerWith(role), new AbortController().signal);
}

const refused = (running: Promise<unknown>) =>
  running.then(
    () => false,
    () => true,
  );

describe('The tools of signed-in operators', () => {
  it('are refused to whom the role was taken from while the answer is made', async () => {
    const query = { query: 'Bank' };
    expect(await refused(run('relying_party_status', query, 'RP_OPERATOR'))).to.equal(false);
    for (const now of ['SECURITY_OFFICER', null] as const) {
      expect(await refused(run('relying_party_status', query, 'RP_OPERATOR', now))).to.equal(true);
    }
  });

  beforeEach(() => asked.splice(0));

  it('are for those who may ask the same at the operator API, and nobody else', async () => {
    const offered = (role: OperatorRole | null) =>
      tools.filter((tool) => tool.isFor?.(callerWith(role))).map(({ name }) => name);
    expect(offered('SUPER_ADMIN')).to.have.length(3);
    expect(offered('SECURITY_OFFICER')).to.deep.equal([
      ...['count_session_outcomes', 'find_audit_events'],
    ]);
    expect(offered(null)).to.deep.equal([]);
    expect(await refused(run('relying_party_status', { query: 'b' }, 'SECURITY_OFFICER'))).to.equal(
      true,
    );
    expect(await refused(run('find_audit_events', {}, null))).to.equal(true);
    expect(asked).to.deep.equal([]);
  });

  it('count the outcomes of sessions in whole hours', async () => {
    const counted = await run('count_session_outcomes', { hours: 2 });
    expect(counted['sessions']).to.deep.equal([
      { kind: 'AUTHENTICATION', outcome: 'OK', count: 3 },
    ]);
    expect(counted).to.include({
      from: '2026-01-01T09:00:00.000Z',
      to: '2026-01-01T11:00:00.000Z',
    });
  });

  it('say how a relying party is, and nothing of how it is protected', async () => {
    const found = JSON.stringify(await run('relying_party_status', { query: ' Bank ' }));
    expect(found).to.include('"active":false').and.include('AUTH');
    expect(found).to.not.match(/10\.0\.0\.1|hash|secret/i);
    expect(asked).to.deep.equal([{ query: 'Bank', active: null, limit: 5, offset: 0 }]);
  });

  it('cite audit entries by their event, without whom they are about', async () => {
    const found = JSON.stringify(await run('find_audit_events', { type: 'CITIZEN_ENROL' }));
    expect(found).to.include(entry.eventId).and.include('a person');
    expect(found).to.not.match(/110000000001|192\.0\.2\.7/);
    for (const stranger of strangers) expect(found).to.not.include(stranger);
  });

  it('tell phones apart by the end of their document number, which is all that leaves the house', async () => {
    const found = JSON.stringify(await run('find_audit_events', { type: 'DEVICE_DEACTIVATE' }));
    expect(found).to.include('"subject":"…9b11"');
    expect(found).to.not.include('0b8e6b0e');
  });

  it('take no argument they did not declare the form of', async () => {
    for (const [name, args] of [
      ['count_session_outcomes', { hours: 0 }],
      ['count_session_outcomes', { hours: 100_000 }],
      ['count_session_outcomes', { hours: '1; drop table' }],
      ['relying_party_status', {}],
      ['relying_party_status', { query: 'x'.repeat(201) }],
      ['find_audit_events', { type: 'EVERYTHING' }],
      ['find_audit_events', { limit: 1000 }],
      ['find_audit_events', { outcome: { $ne: 'OK' } }],
    ] as const) {
      expect(await refused(run(name, args)), JSON.stringify(args)).to.equal(true);
    }
    expect(asked).to.deep.equal([]);
  });
});

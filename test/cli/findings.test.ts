import { expect } from 'chai';
import type { ServicePurpose } from '../../domain/certificate/events.ts';
import type { InstallationState } from '../../infrastructure/postgres/installationState.ts';
import type { Readiness } from '../../main/cli/askReadiness.ts';
import { type DrillReport, parseDrillReport, RESTORED, untried } from '../../main/drill/report.ts';
import {
  type Finding,
  judgeAuthority,
  judgeBackup,
  judgeCertificate,
  judgeClock,
  judgeDisk,
  judgeDrill,
  judgeInstallation,
  judgeNode,
  judgeRevokedAuthority,
  judgeReadiness,
} from '../../main/cli/findings.ts';
import { startTestAuthority } from '../support/doubles/memoryPki.ts';

const now = new Date('2030-01-10T12:00:00Z');
const ago = (hours: number) => new Date(now.getTime() - hours * 3_600_000);
const GB = 1e9;

const authority = (years: number, successor: string | null = null) => ({
  name: 'x',
  successor,
  end: ago(-24 * 366 * years),
});

const whole: InstallationState = {
  databaseBytes: 7e6,
  authorities: [],
  lists: [{ authority: 'root', thisUpdate: ago(2), nextUpdate: ago(-22) }],
  treeHead: { size: 10, signedAt: ago(48) },
  treeSize: 10,
  behind: [{ name: 'audit', positions: 1000, seconds: 60 }],
  services: [
    { purpose: 'OCSP_PERSONAL', notAfter: ago(-40) },
    { purpose: 'TSA', notAfter: ago(-24 * 600) },
  ],
  lastBackup: null,
};

const drill = (hours: number, row: object = {}): DrillReport =>
  parseDrillReport(
    JSON.stringify({
      at: ago(hours).toISOString(),
      cores: 2,
      perSecond: 25,
      short: true,
      rows: [{ ...untried, fault: 'a fault', ...row }],
    }),
  );

const refusals = ['0', '1'].map(
  (each) => `confirm of 01a225bb-2598-79fd-9713-d781d3e4c09${each}: 401 DEVICE_PROOF_INVALID`,
);

const judged = (part: Partial<InstallationState>) =>
  judgeInstallation({ ...whole, ...part }, true, now).filter(({ colour }) => colour !== 'green');

describe('findings of ./tamga doctor', () => {
  const cases: readonly (readonly [string, Finding, Finding['colour'], RegExp])[] = [
    ['Node.js 24', judgeNode('24.0.0'), 'green', /24\.0\.0/u],
    ['an older Node.js', judgeNode('22.9.0'), 'red', /24 or newer/u],
    ['a clock within a second', judgeClock('ntp', -999), 'green', /1\.0 s behind ntp/u],
    [
      'a clock off by a second',
      judgeClock('ntp', 1000),
      'yellow',
      /1\.0 s ahead.*chrony.*timestamping/u,
    ],
    ['a clock off by five', judgeClock('ntp', -5000), 'red', /5\.0 s behind/u],
    ['no answer about the time', judgeClock('ntp', null), 'yellow', /UDP port 123.*--ntp/u],
    ['room', judgeDisk('/', { all: 100 * GB, free: 15 * GB }), 'green', /15\.0 GB free/u],
    ['little room', judgeDisk('/', { all: 100 * GB, free: 14 * GB }), 'yellow', /enlarge/u],
    ['hardly any room', judgeDisk('/', { all: 100 * GB, free: 4 * GB }), 'red', /now/u],
    ['hardly any of a small disk', judgeDisk('/', { all: GB, free: 0.4 * GB }), 'red', /now/u],
    ['a certificate', judgeCertificate('x', ago(-24 * 30), now), 'green', /^ends/u],
    ['one that ends soon', judgeCertificate('x', ago(-24 * 29), now), 'yellow', /in 29 days/u],
    ['one that ended', judgeCertificate('x', ago(1), now), 'red', /^expired.*replace/u],
    ['one that the root revoked', judgeRevokedAuthority('x', ago(1)), 'red', /^was revoked by/u],
    ['an authority', judgeAuthority(authority(4), 3, now), 'green', /^ends/u],
    ['one that bounds what it issues', judgeAuthority(authority(2), 3, now), 'yellow', /next gen/u],
    [
      'a root that does',
      judgeAuthority({ ...authority(2), name: 'root' }, 3, now),
      'green',
      /^ends/u,
    ],
    ['one that ended', judgeAuthority(authority(-1), 3, now), 'red', /replace/u],
    ['one that has a successor', judgeAuthority(authority(-1, 'x-2'), 3, now), 'green', /x-2/u],
    ['a backup', judgeBackup(ago(26), now), 'green', /^made/u],
    ['an older backup', judgeBackup(ago(27), now), 'yellow', /every day/u],
    ['an old backup', judgeBackup(ago(24 * 8), now), 'red', /8 days ago/u],
    ['no known backup', judgeBackup(null, now), 'yellow', /--backup/u],
    ['a drill', judgeDrill(drill(24 * 92), now), 'green', /^held/u],
    ['an older drill', judgeDrill(drill(24 * 93), now), 'yellow', /tamga drill/u],
    ['no drill', judgeDrill(null, now), 'yellow', /none was run/u],
    ['lost facts', judgeDrill(drill(1, { lost: 2 }), now), 'red', /a fault: 2 facts lost/u],
    ['wrong answers', judgeDrill(drill(1, { wrong: ['401'] }), now), 'red', /a fault: 401/u],
    [
      'equal ones',
      judgeDrill(drill(1, { wrong: refusals }), now),
      'red',
      /: 2 × confirm of …: 401/u,
    ],
    [
      'facts that an older backup cannot have',
      judgeDrill(drill(1, { lost: 2, fault: RESTORED }), now),
      'green',
      /^held/u,
    ],
  ];
  for (const [what, { colour, text }, expected, says] of cases) {
    it(`${expected}: ${what}`, () => {
      expect(colour).to.equal(expected);
      expect(text).to.match(says);
    });
  }

  it('find nothing in a whole installation, and say when there is none', () => {
    expect(judged({})).to.deep.equal([]);
    const [empty] = judgeInstallation(null, true, now);
    expect(empty).to.include({ colour: 'yellow', text: 'is empty: run ./tamga migrate' });
  });

  it('name what is late in an installation', () => {
    const list = (thisUpdate: Date, nextUpdate: Date) =>
      judged({ lists: [{ authority: 'root', thisUpdate, nextUpdate }] }).map((f) => f.colour);
    expect(list(ago(13), ago(-11))).to.deep.equal(['yellow']);
    expect(list(ago(24), now)).to.deep.equal(['red']);
    expect(judged({ lists: [] })).to.have.length(1);
    expect(judged({ treeHead: null })[0]).to.include({ about: 'tree head', colour: 'yellow' });
    expect(judged({ treeSize: 11 })[0]?.text).to.match(/1 newer event/u);
    for (const [positions, seconds, says] of [
      [1001, null, /^1001 positions behind the log/u],
      [2, 61, /^2 positions, 61\.0 s behind the log/u],
    ] as const) {
      const [behind] = judged({ behind: [{ name: 'audit', positions, seconds }] });
      expect(behind).to.include({ about: 'subscriber audit', colour: 'yellow' });
      expect(behind?.text).to.match(says);
    }
  });

  it('leave the responder of a CA that ended alone', async () => {
    const { authority: pki, stop } = await startTestAuthority({ issuingYears: 1 });
    const { certificate } = pki.issuer('personal');
    const services = [{ purpose: 'OCSP_PERSONAL', notAfter: ago(1) } as const];
    expect(judged({ services })).to.have.length(1);
    const authorities = [{ name: 'personal', certificate }];
    expect(judged({ services, authorities })).to.deep.equal([]);
    await stop();
  });

  it('name the certificate of a service that was not replaced in time', () => {
    const service = (purpose: ServicePurpose, hours: number) =>
      judged({ services: [{ purpose, notAfter: ago(-hours) }] })[0];
    expect(service('OCSP_PERSONAL', 35)).to.include({ colour: 'yellow' });
    expect(service('DOCUMENT_SIGNER', 24 * 89)).to.include({
      about: 'certificate of the Tamga Document Signer',
      colour: 'yellow',
    });
    expect(service('TSA', 24 * 500)?.text).to.match(/should have been replaced.*worker/u);
    expect(service('TSA', -1)).to.include({ colour: 'red' });
  });

  it('show what a process says of itself', () => {
    const state: Readiness = {
      status: 'ready',
      dependencies: {},
      reasons: {},
      projections: [],
    };
    const of = (part: Partial<Readiness>) =>
      judgeReadiness('localhost:1', { ...state, ...part }).map(({ colour, text }) => [
        colour,
        text,
      ]);
    const sessions = { name: 'sessions', running: true, lagSeconds: 0.25 };
    expect(judgeReadiness('localhost:1', null)[0]).to.include({ colour: 'yellow' });
    expect(of({ projections: [sessions] })).to.deep.equal([
      ['green', 'ready'],
      ['green', 'at most 0.3 s behind the log'],
    ]);
    const dependencies = { database: 'up', redis: 'degraded', clock: 'down' };
    const [[colour, text] = [], [lag] = []] = of({
      status: 'notReady',
      dependencies,
      reasons: { clock: 'It is 7 s ahead.' },
      projections: [{ ...sessions, running: false, lagSeconds: 61 }],
    });
    expect([colour, lag]).to.deep.equal(['red', 'yellow']);
    expect(text).to.match(
      /^notReady: redis is degraded; clock is down \(It is 7 s ahead\.\); not projected: sessions/u,
    );
    expect(of({ status: 'degraded' })[0]?.join()).to.match(/^yellow,degraded: something needs/u);
  });
});

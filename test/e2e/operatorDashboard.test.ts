import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { eventually } from '../support/assertions/eventually.ts';
import { call } from '../../main/drill/callers.ts';
import type { SignedInOperator } from '../support/worlds/operatorWorld.ts';
import { type PopulatedWorld, startPopulatedWorld } from '../support/worlds/populatedWorld.ts';

interface Statistics {
  readonly from: string;
  readonly sessions: readonly { kind: string; outcome: string; count: number }[];
  readonly hours: readonly Record<string, unknown>[];
  readonly latency: { readonly count: number; readonly p50: number };
  readonly relyingParties: readonly Record<string, unknown>[];
}

describe('What operators see of the platform as a whole', function () {
  this.timeout(60_000);
  let world: PopulatedWorld;
  let auditor: SignedInOperator;

  before(async () => {
    world = await startPopulatedWorld();
    auditor = await world.operators.signedIn('AUDITOR');
  });

  after(() => world.stop());

  const stats = async (query = '') => {
    const { status, body } = await auditor.call('GET', `/stats${query}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body as unknown as Statistics;
  };

  it('counts sessions by outcome, hour and relying party, enrolments, certificates and seals', async () => {
    await eventually(async () => {
      const found = await stats();
      expect(found.sessions).to.have.deep.members([
        { kind: 'AUTHENTICATION', outcome: 'OK', count: 1 },
        { kind: 'AUTHENTICATION', outcome: 'RUNNING', count: 1 },
        { kind: 'AUTHENTICATION', outcome: 'USER_REFUSED', count: 1 },
        { kind: 'SIGNATURE', outcome: 'OK', count: 1 },
      ]);
      expect(found).to.deep.include({
        devices: { active: 1, deactivated: 1 },
        relyingParties: [
          {
            relyingPartyId: world.relyingPartyId,
            name: 'Tamga Demo',
            sessions: 4,
            succeeded: 2,
          },
        ],
      });
      expect(found)
        .to.have.property('certificates')
        .that.deep.includes.members([
          { type: 'AUTH', status: 'REVOKED', count: 1 },
          { type: 'AUTH', status: 'VALID', count: 1 },
          { type: 'SEAL', status: 'VALID', count: 1 },
          { type: 'SIGN', status: 'REVOKED', count: 1 },
        ]);
      const sum = (name: string) =>
        found.hours.reduce((total, hour) => total + Number(hour[name]), 0);
      expect(found.hours).to.have.length(24);
      expect([sum('sessions'), sum('succeeded'), sum('running')]).to.deep.equal([4, 2, 1]);
      expect([sum('enrolments'), sum('seals'), sum('sealsRefused')]).to.deep.equal([2, 1, 0]);
      expect([sum('certificatesIssued') >= 5, sum('certificatesRevoked')]).to.deep.equal([true, 2]);
      expect(found.latency.count).to.equal(2);
      expect(found.latency.p50).to.be.within(10, 20_000);
    });
  });

  it('counts in the window asked for alone, and refuses one without end', async () => {
    const past = await stats('?from=2026-01-01T10:20:00Z&to=2026-01-01T11:20:00%2B00:00');
    expect(past.hours.map(({ hour }) => hour)).to.deep.equal([
      '2026-01-01T10:00:00.000Z',
      '2026-01-01T11:00:00.000Z',
    ]);
    expect([past.sessions, past.latency]).to.deep.equal([
      [],
      { count: 0, p50: null, p90: null, p95: null, p99: null },
    ]);
    for (const query of ['?from=2020-01-01T00:00:00Z', '?from=2030-01-01T00:00:00Z', '?to=x']) {
      expect((await auditor.call('GET', `/stats${query}`)).status).to.equal(400);
    }
  });

  it('shows the version, what is configured and how everything is, and no value of a setting', async () => {
    const { status, body } = await auditor.call('GET', '/system');
    expect(status).to.equal(200);
    expect(body).to.deep.include({ version: '0.1.0', profile: 'development' });
    expect(body).to.have.nested.property('configuration.swMasterKeyConfigured', true);
    expect(body).to.have.nested.property('configuration.breakGlassConfigured', false);
    expect(body['dependencies']).to.deep.include({ name: 'database', state: 'up', reason: null });
    const projections = body['projections'] as { name: string; state: string }[];
    expect(projections.map(({ state }) => state)).to.include('RUNNING');
    expect(
      Object.values(body['configuration'] as object).every((each) => typeof each === 'boolean'),
    ).to.be.true;
  });

  it('shows each CA, where its list is and what was revoked, and what the platform signs with', async () => {
    const { status, body } = await auditor.call('GET', '/pki/status');
    expect(status).to.equal(200);
    const authorities = body['authorities'] as Record<string, unknown>[];
    expect(
      authorities.map((each) => [each['authority'], each['revocationCount'], each['issues']]),
    ).to.deep.equal([
      ['root', 0, true],
      ['personal', 2, true],
      ['organization', 0, true],
    ]);
    const { origin } = world.service;
    for (const each of authorities) {
      const { pathname } = new URL(String(each['certificateAddress']));
      const served = await fetch(origin + pathname);
      const certificate = new X509Certificate(Buffer.from(await served.arrayBuffer()));
      expect(each).to.have.nested.property(
        'certificate.serialNumber',
        certificate.serialNumber.toLowerCase(),
      );
      const crl = await call(origin + new URL(String(each['crlAddress'])).pathname);
      expect(crl.status).to.equal(200);
    }
    expect(
      (body['signers'] as { purpose: string }[]).map(({ purpose }) => purpose),
    ).to.have.members([...['OCSP_PERSONAL', 'OCSP_ORGANIZATION', 'TSA', 'DOCUMENT_SIGNER']]);
    expect(body['seal']).to.deep.equal({ qualifiedDevice: false, certificateLevel: 'QUALIFIED' });
  });
});

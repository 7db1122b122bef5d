import { expect } from 'chai';
import type pg from 'pg';
import { call } from '../../main/drill/callers.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { createPostgresNotedRequests } from '../../infrastructure/postgres/notedRequests.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { aParty } from '../support/given/wishes.ts';
import {
  type DemoInstallation,
  newChallenge,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { openOperatorWorld, type SignedInOperator } from '../support/worlds/operatorWorld.ts';

const civilId = '110000000001';
const path = `/authentication/notification/etsi/PNOMN-${civilId}`;
const operation = 'POST /v3/authentication/notification/etsi/:id';

interface Answered {
  readonly days: number;
  readonly counts: readonly { operation: string; code: string | null; requests: number }[];
  readonly refused: readonly { requestId: string; code: string; faults: unknown }[];
}

describe('The last requests of a relying party, with the problem each got', function () {
  this.timeout(120_000);
  let demo: DemoInstallation;
  let pool: pg.Pool;
  let support: SignedInOperator;

  before(async () => {
    demo = await startDemoInstallation();
    pool = createPool({ url: demo.databaseUrl });
    support = await openOperatorWorld(demo.service.origin).signedIn('RP_OPERATOR');
    await demo.enrol(civilId);
    const answers = [
      await demo.create(path, newChallenge()),
      await demo.create(path, {}),
      await demo.create('/authentication/notification/etsi/PNOMN-119999999999', newChallenge()),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 400, 404]);
  });

  after(async () => {
    await pool.end();
    await demo.stop();
  });

  const ofOperator = () => support.call('GET', `/relying-parties/${demo.relyingPartyId}/requests`);
  const ofParty = (secret: string) =>
    call(`${demo.service.origin}/v3/rp/requests`, {
      headers: { authorization: `Bearer ${secret}` },
    });

  it('are what an operator reads: counts, and refused ones with code and place of the fault', async () => {
    await eventually(async () => {
      const { status, body } = await ofOperator();
      expect(status).to.equal(200);
      const { counts, refused, days } = body as unknown as Answered;
      expect(days).to.equal(7);
      expect(
        counts.map(({ operation: what, code, requests }) => [what, code, requests]),
      ).to.deep.equal([
        [operation, 'INVALID_REQUEST', 1],
        [operation, 'PERSON_NOT_FOUND', 1],
        [operation, null, 1],
      ]);
      expect(refused.map(({ code }) => code)).to.deep.equal([
        'PERSON_NOT_FOUND',
        'INVALID_REQUEST',
      ]);
      expect(refused[1]?.faults).to.deep.include({ pointer: '/rpChallenge', rule: 'required' });
    });
  });

  it('hold no identifier of a person, in the answer and in the tables', async () => {
    for (const table of ['relying_party_use', 'relying_party_refusal']) {
      await eventually(async () => {
        const { rows } = await pool.query(`select ${table}::text as row from ${table}`);
        expect(rows).not.to.deep.equal([]);
        expect(JSON.stringify(rows)).not.to.match(/11\d{10}/u);
      });
    }
    const { body } = await ofOperator();
    expect(JSON.stringify(body)).not.to.match(/11\d{10}/u);
  });

  it('are read by the relying party itself, and by no other', async () => {
    const own = await ofParty(demo.apiSecret);
    expect(own.status).to.equal(200);
    expect((own.body as unknown as Answered).refused).to.have.length(2);
    const other = await demo.service.registerRelyingParty(aParty('Another', ['AUTH']));
    await eventually(async () => {
      const { status, body } = await ofParty(other.apiSecret);
      expect([status, (body as unknown as Answered).refused]).to.deep.equal([200, []]);
    });
  });

  it('are told of the moment its secret is of', async () => {
    const { body } = await support.call('GET', `/relying-parties/${demo.relyingPartyId}`);
    expect(body['secretIssuedAt']).to.equal(body['registeredAt']);
    const before = new Date().toISOString();
    await demo.service.rotateSecret(demo.relyingPartyId);
    const rotated = await support.call('GET', `/relying-parties/${demo.relyingPartyId}`);
    expect(String(rotated.body['secretIssuedAt']) >= before).to.equal(true);
  });

  it('of a relying party that is not there are not found', async () => {
    const { status } = await support.call(
      'GET',
      '/relying-parties/00000000-0000-4000-8000-000000000000/requests',
    );
    expect(status).to.equal(404);
  });

  it('V9: are counted once, though refused ones could not be written at first', async () => {
    const store = createPostgresNotedRequests(pool);
    const relyingPartyId = 'party-counted-once';
    const at = new Date();
    const counted = [
      {
        relyingPartyId,
        day: at.toISOString().slice(0, 10),
        operation,
        code: 'INVALID_REQUEST' as const,
        requests: 1,
        lastAt: at,
      },
    ];
    const refused = [
      {
        relyingPartyId,
        at,
        requestId: 'once',
        operation,
        status: 400,
        code: 'INVALID_REQUEST' as const,
        faults: [],
      },
    ];
    const unwritable = refused.map((each) => ({ ...each, status: 100_000 }));
    expect(await rejection(store.add({ counted, refused: unwritable }))).to.be.instanceOf(Error);
    await store.add({ counted, refused });
    const { counted: counts } = await store.of(relyingPartyId);
    expect(counts.map(({ requests }) => requests)).to.deep.equal([1]);
  });

  it('are kept for a week, and the newest hundred refused ones', async () => {
    const store = createPostgresNotedRequests(pool);
    const relyingPartyId = 'party-of-this-test';
    const [now, longAgo] = [new Date(), new Date(Date.now() - 9 * 86_400_000)];
    const refusedAt = (at: Date, requestId: string) => ({
      relyingPartyId,
      at,
      requestId,
      operation,
      status: 400,
      code: 'INVALID_REQUEST' as const,
      faults: [],
    });
    const countedAt = (at: Date) => ({
      relyingPartyId,
      day: at.toISOString().slice(0, 10),
      operation,
      code: null,
      requests: 3,
      lastAt: at,
    });
    await store.add({ counted: [countedAt(longAgo)], refused: [refusedAt(longAgo, 'old')] });
    const many = Array.from({ length: 100 }, (_, index) => refusedAt(now, `request-${index}`));
    await store.add({ counted: [countedAt(now)], refused: many });
    await store.add({ counted: [countedAt(now)], refused: [refusedAt(now, 'newest')] });
    const { counted, refused } = await store.of(relyingPartyId);
    expect(counted.map(({ requests }) => requests)).to.deep.equal([6]);
    expect(refused).to.have.length(100);
    expect(refused[0]?.requestId).to.equal('newest');
    expect(refused.at(-1)?.requestId).to.equal('request-1');
    const { rows } = await pool.query(
      'select from relying_party_refusal where relying_party_id = $1',
      [relyingPartyId],
    );
    expect(rows).to.have.length(100);
    const left = await pool.query('select from relying_party_use where relying_party_id = $1', [
      relyingPartyId,
    ]);
    expect(left.rows).to.have.length(1);
  });
});

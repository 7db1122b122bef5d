import { expect } from 'chai';
import {
  EidClient,
  type Generation,
  type NotificationSession,
  sha256Base64,
  type SessionResult,
  type StartedSession,
  ValidationError,
} from '../../client/index.ts';
import {
  createFakePlatform,
  type FakeCitizen,
  type FakePlatform,
} from '../../client/testing/index.ts';

const interactions = [{ type: 'displayTextAndPIN', displayText60: 'Go on?' }] as const;
const digest = sha256Base64('three goats');
const documents = ['Lease', 'Annex'].map((displayText60) => ({
  digest: sha256Base64(displayText60),
  displayText60,
}));
const generations: readonly Generation[] = ['G1', 'G2'];

type Kind = 'auth' | 'sign' | 'batch';
const kinds: readonly (readonly [Generation, Kind])[] = [
  ...generations.flatMap((generation) => [
    [generation, 'auth'] as const,
    [generation, 'sign'] as const,
  ]),
  ['G1', 'batch'],
];

describe('A session that knows whom it asked', () => {
  let platform: FakePlatform;
  let client: EidClient;

  beforeEach(() => {
    platform = createFakePlatform();
    client = new EidClient(platform.config);
  });

  function start(kind: Kind, id: string, options: { generation: Generation; onBehalfOf?: string }) {
    if (kind === 'auth') return client.auth.notificationByEtsi(id, interactions, options);
    return kind === 'sign'
      ? client.sign.digestByEtsi(id, digest, interactions, options)
      : client.sign.batchByEtsi(id, documents, interactions, options);
  }

  function startOn(kind: Kind, documentNumber: string, generation: Generation) {
    const options = { generation };
    if (kind === 'auth') {
      return client.auth.notificationByDocument(documentNumber, interactions, options);
    }
    return kind === 'sign'
      ? client.sign.digestByDocument(documentNumber, digest, interactions, options)
      : client.sign.batchByDocument(documentNumber, documents, interactions);
  }

  /** Code of the refusal; `OK`: it was believed. The session comes from a store, as JSON. */
  function verdict(kind: Kind, result: SessionResult, session: NotificationSession): string {
    const stored = JSON.parse(JSON.stringify(session)) as StartedSession;
    const { validator } = client;
    try {
      if (kind === 'auth') validator.validateAuth(result, stored);
      else if (kind === 'sign') validator.validateSign(result, digest, { session: stored });
      else validator.validateBatch(result, documents, { session: stored });
      return 'OK';
    } catch (error) {
      if (error instanceof ValidationError) return error.code;
      throw error;
    }
  }

  const answered = async (session: NotificationSession) =>
    client.session.waitForResult(session.sessionId);

  for (const [generation, kind] of kinds) {
    const title = `(${kind}, ${generation})`;

    it(`refuses what somebody else confirmed, however the person was named ${title}`, async () => {
      const { etsi, civilId, regNo } = platform.citizenWho('PERSON_MISMATCH');
      for (const id of [etsi, etsi.toLowerCase(), civilId]) {
        const session = await start(kind, id, { generation });
        expect(verdict(kind, await answered(session), session), id).to.equal('PERSON_MISMATCH');
      }
      const honest = platform.addCitizen({ regNo: 'уб90010112' });
      for (const id of [honest.etsi, honest.etsi.toLowerCase(), honest.civilId, 'УБ90010112']) {
        const session = await start(kind, id, { generation });
        expect(verdict(kind, await answered(session), session), id).to.equal('OK');
      }
      expect(regNo).not.to.equal(honest.regNo);
    });

    it(`refuses another phone than was asked ${title}`, async () => {
      const asked = platform.addCitizen({ answers: null });
      const session = await startOn(kind, asked.documentNumber, generation);
      const other = { ...asked, documentNumber: platform.addCitizen().documentNumber };
      platform.lastSession().answer('OK', { by: other });
      expect(verdict(kind, await answered(session), session)).to.equal('PERSON_MISMATCH');
      const again = await startOn(kind, asked.documentNumber.toUpperCase(), generation);
      platform.lastSession().answer('OK');
      expect(verdict(kind, await answered(again), again)).to.equal('OK');
    });

    it(`refuses another organization than was asked, or none, or one unasked ${title}`, async () => {
      const { orgEtsi, name } = platform.addOrganization();
      const represents = [{ orgEtsi, orgName: name, role: null, rightType: 'ADMIN' }];
      const { etsi } = platform.addCitizen({ represents });
      const plain = await start(kind, etsi, { generation });
      const forIt = await start(kind, etsi, { generation, onBehalfOf: orgEtsi });
      const own = await answered(plain);
      const result = await answered(forIt);
      expect(verdict(kind, own, plain)).to.equal('OK');
      expect(verdict(kind, result, forIt)).to.equal('OK');
      const { onBehalfOf } = result;
      for (const [said, session, code] of [
        [{ ...result, onBehalfOf: null }, forIt, 'ORGANIZATION_MISMATCH'],
        [
          { ...result, onBehalfOf: onBehalfOf && { ...onBehalfOf, orgEtsi: 'NTRMN-1' } },
          forIt,
          'ORGANIZATION_MISMATCH',
        ],
        [{ ...own, onBehalfOf }, plain, 'ORGANIZATION_MISMATCH'],
      ] as const) {
        expect(verdict(kind, said, session)).to.equal(code);
      }
    });
  }

  it('compares a registration number with what the service says of the person', async () => {
    const citizen: FakeCitizen = platform.addCitizen({ regNo: 'уб90010112' });
    const session = await start('auth', 'УБ90010112', { generation: 'G2' });
    const result = await answered(session);
    const { person } = result;
    expect(verdict('auth', result, session)).to.equal('OK');
    const other = { ...result, person: person && { ...person, regNo: 'уб90010113' } };
    expect(verdict('auth', other, session)).to.equal('PERSON_MISMATCH');
    expect(person?.civilId).to.equal(citizen.civilId);
  });

  it('lets anybody answer a link for everybody', async () => {
    const session = await client.auth.deviceLinkAnonymous(interactions, { generation: 'G2' });
    platform.lastSession().answer('OK', { by: platform.addCitizen() });
    const result = await client.session.poll(session.sessionId);
    expect(() => client.validator.validateAuth(result, session)).not.to.throw();
  });
});

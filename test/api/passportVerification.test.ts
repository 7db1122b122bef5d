import { expect } from 'chai';
import { createKycRoutes } from '../../api/kyc/routes.ts';
import type { ApiServer } from '../../api/server.ts';
import { readCountryAuthorities } from '../../infrastructure/passport/countryAuthorities.ts';
import { createPassportProvider } from '../../infrastructure/passport/passportProvider.ts';
import { certificatePem } from '../../infrastructure/pki/trustFiles.ts';
import { type DeviceWorld, openDeviceWorld } from '../support/worlds/deviceWorld.ts';
import { startTestServer } from '../support/http/http.ts';
import { type Chip, ecChip, rsaChip } from '../support/passport/passportChips.ts';
import {
  dataGroup1,
  type PassportPage,
  passportZone,
} from '../../infrastructure/passport/demo/passportPage.ts';
import {
  createCountryAuthority,
  createDocumentSigner,
  dataGroup11,
  dataGroup2,
  securityObject,
  specimen,
} from '../support/passport/passports.ts';
import { bold } from '../support/given/persons.ts';

const page: PassportPage = {
  surname: 'DORJ',
  givenName: 'BOLD',
  birthDate: '850315',
  sex: 'M',
  personalNumber: 'UB85031512',
};

const authority = createCountryAuthority({ country: 'MN', name: 'Mongolia CSCA' });
const utopia = createCountryAuthority();
const signer = createDocumentSigner(authority, { country: 'MN', name: 'Mongolia DS' });

/** Files a phone reads from the chip of such a passport. */
function chipOf(zone: string, further: ReadonlyMap<number, Buffer> = new Map(), by = signer) {
  const files = new Map([[1, dataGroup1(zone)], ...further]);
  return {
    mrz: zone,
    securityObject: securityObject(by, files).toString('base64'),
    dataGroups: Object.fromEntries(
      [...files].map(([number, file]) => [`dg${number}`, file.toString('base64')]),
    ),
  };
}

describe('identity verification by passport', () => {
  let world: DeviceWorld;
  let server: ApiServer;
  let origin = '';

  before(async () => {
    world = await openDeviceWorld();
    const { civilRegistry, clock } = world;
    const authorities = readCountryAuthorities(
      Buffer.from(
        [authority, utopia].map(({ certificate }) => certificatePem(certificate)).join(''),
      ),
    );
    const passport = createPassportProvider({
      civilRegistry,
      clock,
      authorities,
      revocations: null,
      chipProof: 'offered',
    });
    const routes = createKycRoutes({ ...world, providers: { passport } });
    ({ server, origin } = await startTestServer(routes));
  });
  after(async () => {
    await server.stop(100);
    await world.stop();
  });

  interface Verification {
    readonly verificationId: string;
    readonly status: string;
    readonly failure: string | null;
    readonly step: unknown;
    readonly verified: { readonly enrolmentToken: string; readonly etsi: string } | null;
  }

  async function post(path: string, body: unknown, secret = '') {
    const response = await fetch(origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  }

  /** Request for a known challenge. */
  type ChipAt = (challenge: string) => object;

  async function attempt(chip: unknown) {
    const { body } = await post('/v3/kyc/verifications', { method: 'passport' });
    const { verification, secret } = body as { verification: Verification; secret: string };
    expect(verification.step).to.include({ type: 'PASSPORT' });
    const { challenge } = verification.step as { readonly challenge: string };
    const answered = typeof chip === 'function' ? (chip as ChipAt)(challenge) : chip;
    const steps = `/v3/kyc/verifications/${verification.verificationId}/steps/passport`;
    const answer = await post(steps, answered, secret);
    return { ...answer, body: answer.body as Verification };
  }

  async function failureOf(chip: unknown): Promise<string | null> {
    const { body } = await attempt(chip);
    expect(body.verified).to.equal(null);
    return body.failure;
  }

  for (const { what, chip } of [
    { what: 'the number in Latin letters of the zone', chip: chipOf(passportZone(page)) },
    {
      what: 'the number in Cyrillic letters of data group 11, with a face beside it',
      chip: chipOf(
        passportZone({ ...page, personalNumber: '' }),
        new Map([
          [2, dataGroup2],
          [11, dataGroup11('УБ85031512')],
        ]),
      ),
    },
    {
      what: 'the civil id of data group 11',
      chip: chipOf(passportZone(page), new Map([[11, dataGroup11(bold.civilId)]])),
    },
    { what: 'the chip alone', chip: { ...chipOf(passportZone(page)), mrz: null } },
  ]) {
    it(`gives an enrolment token to the citizen found by ${what}`, async () => {
      const { status, body } = await attempt(chip);
      expect(status).to.equal(200);
      expect(body).to.include({ status: 'VERIFIED', failure: null });
      expect(body.verified?.etsi).to.equal(`PNOMN-${bold.civilId}`);
      expect(body.verified?.enrolmentToken).to.match(/^\S{20,}$/);
    });
  }

  it('keeps what it was verified by, and no file of the chip', async () => {
    const { body } = await attempt(chipOf(passportZone(page), new Map([[2, dataGroup2]])));
    const events = world.eventsOf(`identityVerification-${body.verificationId}`);
    const { evidence } = events.at(-1)?.data as { evidence: Record<string, string> };
    expect(evidence).to.include({ document: 'PASSPORT', documentNumber: 'E1234567' });
    expect(evidence['dataGroups']).to.match(/^DG1:[0-9a-f]{64} DG2:[0-9a-f]{64}$/);
    expect(JSON.stringify(events)).not.to.include(dataGroup2.toString('base64').slice(0, 100));
  });

  describe('with a chip that can prove itself', () => {
    const chip = rsaChip();
    const proving = ecChip();
    const files = (dataGroup15: Buffer) => new Map([[15, dataGroup15]]);
    const read = chipOf(passportZone(page), files(chip.dataGroup15));
    const answered =
      (by: Chip, sent: object = read): ChipAt =>
      (challenge) => ({
        ...sent,
        chipSignature: by.answer(Buffer.from(challenge, 'base64')).toString('base64'),
      });

    it('takes its answer to the challenge, and keeps that it did', async () => {
      const { body } = await attempt(answered(chip));
      expect(body).to.include({ status: 'VERIFIED' });
      const events = world.eventsOf(`identityVerification-${body.verificationId}`);
      const { evidence } = events.at(-1)?.data as { evidence: Record<string, string> };
      expect(evidence).to.include({
        chip: 'ACTIVE_AUTHENTICATION',
        signerRevocation: 'NO_LIST',
      });
    });

    it('takes the answer of an elliptic curve key', async () => {
      const { dataGroup14, dataGroup15 } = proving;
      const groups = new Map([
        ...files(dataGroup15),
        [14, dataGroup14 ?? Buffer.alloc(0)] as const,
      ]);
      const { body } = await attempt(answered(proving, chipOf(passportZone(page), groups)));
      expect(body).to.include({ status: 'VERIFIED' });
    });

    it('refuses a copy: without an answer, without the key, with an answer of before', async () => {
      const before = answered(chip)(Buffer.alloc(8).toString('base64'));
      const others = Object.fromEntries(
        Object.entries(read.dataGroups).filter(([name]) => name !== 'dg15'),
      );
      for (const [copy, failure] of [
        [read, 'ACTIVE_AUTHENTICATION_MISSING'],
        [{ ...read, dataGroups: others }, 'ACTIVE_AUTHENTICATION_MISSING'],
        [before, 'ACTIVE_AUTHENTICATION_FAILED'],
        [answered(rsaChip()), 'ACTIVE_AUTHENTICATION_FAILED'],
        [
          answered(proving, {
            ...read,
            dataGroups: { ...others, dg15: proving.dataGroup15.toString('base64') },
          }),
          'DATA_GROUP_ALTERED',
        ],
      ] as const) {
        expect(await failureOf(copy)).to.equal(failure);
      }
    });
  });

  const genuine = chipOf(passportZone(page));
  const forger = createCountryAuthority({ country: 'MN', name: 'Nobody' });
  for (const { what, chip, failure } of [
    {
      what: 'a zone changed by hand',
      chip: { ...genuine, mrz: passportZone({ ...page, givenName: 'BOLDBAATAR' }) },
      failure: 'MRZ_MISMATCH',
    },
    {
      what: 'data group 1 of somebody else',
      chip: {
        ...genuine,
        dataGroups: chipOf(passportZone({ ...page, givenName: 'SARAN' })).dataGroups,
      },
      failure: 'DATA_GROUP_ALTERED',
    },
    {
      what: 'a State made up',
      chip: chipOf(passportZone(page), new Map(), createDocumentSigner(forger, { country: 'MN' })),
      failure: 'COUNTRY_AUTHORITY_UNKNOWN',
    },
    {
      what: 'a document of another State',
      chip: chipOf(
        passportZone({ ...page, state: 'UTO' }),
        new Map(),
        createDocumentSigner(utopia),
      ),
      failure: 'DOCUMENT_UNSUITABLE',
    },
    {
      what: 'a document that ran out',
      chip: chipOf(passportZone({ ...page, expiryDate: '200101' })),
      failure: 'DOCUMENT_EXPIRED',
    },
    {
      what: 'a person who is not in the register',
      chip: chipOf(passportZone({ ...page, personalNumber: 'UB85031599' })),
      failure: 'NOT_MATCHED',
    },
    {
      what: 'a number and the name of two persons',
      chip: chipOf(passportZone({ ...page, givenName: 'GANZORIG' })),
      failure: 'NOT_MATCHED',
    },
    {
      what: 'a number and the birth date of two persons',
      chip: chipOf(passportZone({ ...page, birthDate: '850316' })),
      failure: 'NOT_MATCHED',
    },
  ]) {
    it(`refuses ${what}: ${failure}`, async () => {
      expect(await failureOf(chip)).to.equal(failure);
    });
  }

  it('refuses what is no base64, and more than a chip can hold', async () => {
    const malformed = await attempt({ ...genuine, securityObject: 'é' });
    expect(malformed.status).to.equal(400);
    const dg2 = Buffer.alloc(140_000).toString('base64');
    expect(
      (await attempt({ ...genuine, dataGroups: { ...genuine.dataGroups, dg2 } })).status,
    ).to.equal(400);
    expect((await attempt({ ...genuine, mrz: 'A'.repeat(600_000) })).status).to.equal(413);
  });

  it('says that the specimen passport of the standard is none of its citizens', async () => {
    expect(await failureOf(chipOf(specimen.TD3))).to.equal('COUNTRY_MISMATCH');
  });
});

import { EidClient, signedDeviceLink } from '../../../client/index.ts';
import { createPhone } from '../../../apps/phone/phone.ts';
import { createMemoryPhoneStore } from '../../../apps/phone/phoneStore.ts';
import { ServiceError } from '../../../apps/phone/service.ts';
import { eventually } from '../assertions/eventually.ts';
import { call, type CallOptions } from '../../../main/drill/callers.ts';
import { newChallenge } from '../installation/demoInstallation.ts';
import { openOcspStatus } from '../installation/ocspStatus.ts';
import { type EndsPhone, toldBy } from './endsWorld.ts';
import { casesOf, type EndRows } from './rows.ts';

const MINUTE_MS = 60_000;
const YEAR_MS = 366 * 24 * 60 * MINUTE_MS;

/** Phones of citizens, their certificates, and what leads to them. */
export const phoneEnds: EndRows = (world) => {
  const later = (ms: number) => () => world().later(ms);
  const enrol = () => world().enrol();
  const forgetting = ({ civilId }: EndsPhone) => world().here.forgetPerson(civilId);
  const revocation = ({ serialOf }: EndsPhone) =>
    world().here.revokeCertificate(serialOf('SIGN'), 1);
  const hold = ({ serialOf }: EndsPhone) => world().here.revokeCertificate(serialOf('SIGN'), 6);
  const ownDevice = ({ callThere }: EndsPhone) => callThere('GET', '/v3/device').then(toldBy);
  const notMe = async ({ phone }: EndsPhone, { documentNumber }: EndsPhone) => {
    const notice = await eventually(async () => {
      const notices = await phone.notices();
      const found = notices.find(({ device }) => device?.documentNumber === documentNumber);
      if (found === undefined) throw new Error('Nothing was told yet.');
      return found;
    });
    await phone.disown(notice, '1234');
  };

  /** A session asked for there, and what OCSP says there. */
  async function certificate({ documentNumber, serialOf }: EndsPhone): Promise<string> {
    const { demo, there } = world();
    const path = `/v3/signature/notification/document/${documentNumber}`;
    const asked = await call(there.origin + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${demo.apiSecret}` },
      body: {
        relyingPartyUUID: demo.relyingPartyId,
        relyingPartyName: 'Tamga Demo',
        signatureProtocol: 'ACSP_V2',
        digest: newChallenge(32).rpChallenge,
        hashType: 'SHA256',
        interactions: [{ type: 'displayTextAndPIN', displayText60: 'Тийм үү?' }],
      },
    });
    const statusAt = await openOcspStatus(there.origin);
    return `${toldBy(asked)}, OCSP ${await statusAt(there.origin, serialOf('SIGN'))}`;
  }

  /** A verification begun here. */
  async function verification() {
    const { here, there, newCitizen } = world();
    const root = '/v3/kyc/verifications';
    const body = { method: 'citizenCard' };
    const begun = await call(here.origin + root, { method: 'POST', body });
    const { verificationId } = begun.body['verification'] as { readonly verificationId: string };
    const headers = { authorization: `Bearer ${String(begun.body['secret'])}` };
    const { civilId, card } = newCitizen();
    const at = (origin: string, step: string, sent?: object) => {
      const options: CallOptions = { method: 'POST', headers, ...(sent && { body: sent }) };
      return call(`${origin}${root}/${verificationId}/${step}`, options);
    };
    return {
      civilId,
      submit: (origin = there.origin) => at(origin, 'steps/citizen-card', card),
      cancel: () => at(here.origin, 'cancel'),
    };
  }

  /** A token for an enrolment, not used yet. */
  async function enrolmentToken() {
    const { civilId, submit } = await verification();
    const { body } = await submit(world().here.origin);
    const card = body['verified'] as { readonly enrolmentToken: string; readonly etsi: string };
    const enrolAt = ({ origin }: { readonly origin: string }) => {
      const phone = createPhone({ baseUrl: origin, store: createMemoryPhoneStore() });
      return codeOf(() => phone.enrol({ card, pin1: '1234', pin2: '12345' }));
    };
    return { civilId, enrolAt };
  }

  /** A device link of a session begun here, for whoever claims it first. */
  async function deviceLink() {
    const { demo, here, clock } = world();
    const { sign } = new EidClient({
      baseUrl: here.origin,
      credentials: {
        rpUUID: demo.relyingPartyId,
        rpName: 'Tamga Demo',
        apiSecret: demo.apiSecret,
      },
      generation: 'G2',
    });
    const claimer = await enrol();
    const begun = await sign.certificateChoiceAnonymous();
    const link = () => signedDeviceLink(begun, { type: 'QR', now: clock.now() });
    return { claimer, link, sessionId: begun.sessionId };
  }

  return {
    Phone: [
      ...casesOf({
        issue: enrol,
        use: ownDevice,
        refused: /^403 DEVICE_NOT_ACTIVE$/,
        remembered: true,
        ends: {
          'deactivation by its owner, an operator or "It was not me"': [
            ({ phone }) => phone.deactivate(),
            ({ documentNumber }) =>
              world().decided('POST', `/devices/${documentNumber}/deactivate`),
          ],
          'revocation of one of its certificates': [revocation],
          forgetting: [forgetting],
        },
      }),
      ...casesOf({
        issue: async () => {
          const older = await world().enrol();
          return { older, ...(await world().enrol(older.citizen)) };
        },
        use: (newer) => ownDevice(newer),
        refused: /^403 DEVICE_NOT_ACTIVE$/,
        remembered: true,
        ends: {
          'deactivation by its owner, an operator or "It was not me"': [
            (newer) => notMe(newer.older, newer),
          ],
        },
      }),
    ],
    'Certificate of a citizen': [
      ...casesOf({
        issue: enrol,
        use: certificate,
        works: '200, OCSP 0',
        refused: /^4\d\d [A-Z_]+, OCSP 1$/,
        remembered: true,
        ends: {
          revocation: [revocation],
          'hold, until it is reinstated': [hold],
          'the end of its phone': [({ phone }) => phone.deactivate()],
          forgetting: [forgetting],
        },
        undo: {
          'hold, until it is reinstated': ({ serialOf }) =>
            world().here.reinstateCertificate(serialOf('SIGN')),
        },
      }),
      ...casesOf({
        issue: enrol,
        use: certificate,
        works: '200, OCSP 0',
        // Ten years on the certificate of the responder has ended as well: it signs nothing any more.
        refused: /^4\d\d [A-Z_]+, OCSP (?:\d|tryLater)$/,
        ends: { expiry: [later(10 * YEAR_MS)] },
      }),
      // A session that was begun before.
      ...casesOf({
        issue: async () => {
          const phone = await enrol();
          const path = `/signature/notification/document/${phone.documentNumber}`;
          const digest = newChallenge(32).rpChallenge;
          const { body } = await world().demo.create(path, { digest, hashType: 'SHA256' });
          return { ...phone, sessionId: String(body['sessionID']) };
        },
        use: async ({ phoneThere, sessionId, pin2 }) =>
          codeOf(async () => {
            await phoneThere.confirm(await phoneThere.open(sessionId), pin2);
          }),
        refused: /^4\d\d [A-Z_]+$/,
        once: true,
        remembered: true,
        ends: {
          revocation: [revocation],
          'hold, until it is reinstated': [hold],
          'the end of its phone': [({ phone }) => phone.deactivate()],
          forgetting: [forgetting],
        },
      }),
    ],
    'Enrolment token, secret of a KYC session': [
      ...casesOf({
        issue: enrolmentToken,
        use: ({ enrolAt }) => enrolAt(world().there),
        refused: /^(401 ENROLMENT_TOKEN_INVALID|404 PERSON_NOT_FOUND)$/,
        once: true,
        ends: {
          'one use': [({ enrolAt }) => enrolAt(world().here)],
          'their time': [later(60 * MINUTE_MS)],
          forgetting: [({ civilId }) => world().here.forgetPerson(civilId)],
        },
      }),
      ...casesOf({
        issue: verification,
        use: async ({ submit }) => {
          const answer = await submit();
          return `${toldBy(answer)} ${String(answer.body['status'])}`;
        },
        works: '200 VERIFIED',
        refused: /^(409 VERIFICATION_ENDED|410 VERIFICATION_EXPIRED) /,
        once: true,
        ends: {
          'the end of the verification': [({ cancel }) => cancel()],
          'their time': [later(15 * MINUTE_MS)],
        },
      }),
    ],
    'Device-link token': casesOf({
      issue: deviceLink,
      use: ({ link, claimer }) =>
        claimer.callThere('POST', '/v3/device/links', { link: link() }).then(toldBy),
      refused: /^4\d\d SESSION_/,
      once: true,
      ends: {
        'the end of its session': [
          async ({ link, claimer, sessionId }) => {
            await claimer.phone.open(link());
            await claimer.phone.refuse(sessionId, 'USER_REFUSED');
          },
        ],
        'a claim by another phone': [
          async ({ link }) => {
            const another = await enrol();
            await another.phone.open(link());
          },
        ],
        'its time': [later(150_000)],
      },
    }),
  };
};

/** `200`, or status and code of the refusal a phone was given. */
async function codeOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return '200';
  } catch (error) {
    if (error instanceof ServiceError) return `${error.status} ${error.code}`;
    throw error;
  }
}

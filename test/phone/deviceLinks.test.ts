import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  checkCallback,
  type DeviceLinkSession,
  type DeviceLinkType,
  type EidClient,
  plainDeviceLink,
  sha256Base64,
  signedDeviceLink,
  ValidationError,
} from '../../client/index.ts';
import { LinkError } from '../../apps/phone/deviceLink.ts';
import { createPhone, type Phone } from '../../apps/phone/phone.ts';
import { createMemoryPhoneStore } from '../../apps/phone/phoneStore.ts';
import { answerAsScripted } from '../../apps/phone/scripted.ts';
import { call } from '../../main/drill/callers.ts';
import { type LoopWorld, openLoopWorld } from '../support/worlds/loopWorld.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { openAsScripted } from '../support/programs/openAsScripted.ts';
import { openTerminal } from '../support/programs/terminal.ts';
import { bold, saran, cardOf } from '../support/given/persons.ts';

const interactions = [{ type: 'displayTextAndPIN', displayText60: 'Нэвтрэх үү?' }] as const;
const wait = { maxWaitMs: 20_000 };
const pins = { pin1: '1111', pin2: '22222' };
const digest = sha256Base64('contract');
const callbackUrl = 'https://rp.example.com/anywhere?state=7';

describe('A device link', () => {
  let loop: LoopWorld;
  let rp: EidClient;
  let boldPhone: Phone;
  let saranPhone: Phone;
  let boldDocument: string;

  before(async () => {
    loop = await openLoopWorld();
    rp = loop.client();
    boldPhone = await enrol(bold);
    saranPhone = await enrol(saran);
    boldDocument = (await boldPhone.identity())?.documentNumber ?? '';
  });

  after(() => loop.close());

  async function enrol(record: typeof bold): Promise<Phone> {
    const phone = createPhone({
      baseUrl: loop.origin,
      store: createMemoryPhoneStore(),
      now: () => loop.world.clock.now(),
    });
    await phone.enrol({ card: cardOf(record), ...pins });
    return phone;
  }

  const scripted = (phone: Phone) => ({ phone, ...pins, outcome: 'OK' }) as const;

  const login = (options: object = {}) =>
    rp.auth.deviceLinkAnonymous(interactions, { generation: 'G2', ...options });

  /** The link as made `seconds` after the session was received. */
  function linkOf(session: DeviceLinkSession, type: DeviceLinkType, seconds = 0): string {
    const now = new Date((session.receivedAt ?? 0) + seconds * 1000);
    return signedDeviceLink(session, { type, now });
  }

  async function refusalOf(phone: Phone, link: string): Promise<unknown> {
    return ((await rejection(phone.open(link))) as { code?: string }).code;
  }

  describe('that is signed', () => {
    for (const type of ['QR', 'Web2App', 'App2App'] as const) {
      it(`opens an authentication as ${type}, which is what the phone signs`, async () => {
        const session = await login();
        const { request, endResult } = await openAsScripted(
          scripted(saranPhone),
          linkOf(session, type),
        );
        expect(request.verificationCode).to.equal(session.vc);
        expect(endResult).to.equal('OK');
        const result = await rp.session.waitForResult(session.sessionId, wait);
        expect(result.flowType).to.equal(type);
        const { subject } = rp.validator.validateAuth(result, session);
        expect(subject.serialNumber).to.equal('PNOMN-110000000002');
      });

      it(`opens a signature as ${type}`, async () => {
        const session = await rp.sign.deviceLinkByDocument(boldDocument, digest, interactions, {
          generation: 'G2',
        });
        const link = linkOf(session, type);
        expect(link).to.include('&sessionType=sign&');
        expect((await openAsScripted(scripted(boldPhone), link)).endResult).to.equal('OK');
        const result = await rp.session.waitForResult(session.sessionId, wait);
        const signed = rp.validator.validateSign(result, digest, { session });
        expect(signed.statedByService.documentNumber).to.equal(boldDocument);
      });
    }

    it('binds the phone to the flow it came by', async () => {
      const session = await login();
      const request = await saranPhone.open(linkOf(session, 'Web2App'));
      const lied = saranPhone.confirm({ ...request, flowType: 'App2App' }, pins.pin1);
      expect(await rejection(lied)).to.include({ status: 400, code: 'INVALID_REQUEST' });
      expect(await saranPhone.confirm(request, pins.pin1)).to.equal('OK');
    });

    it('opens within 20 seconds of its making as a QR code, and not later', async () => {
      const session = await login();
      const shown = linkOf(session, 'QR', 3);
      loop.world.clock.advance(3_000 + 20_500);
      expect(await refusalOf(saranPhone, shown)).to.equal('DEVICE_LINK_EXPIRED');
      // The last second it opens in is looked at without a clock that runs, in domain/deviceLink.test.ts.
      const next = linkOf(session, 'QR', 15);
      expect(await answerAsScripted(scripted(saranPhone), await saranPhone.open(next))).to.equal(
        'OK',
      );
    });

    it('opens as long as its session may be answered when it is on the same device', async () => {
      const session = await login();
      const link = linkOf(session, 'App2App');
      loop.world.clock.advance(140_000);
      expect((await openAsScripted(scripted(saranPhone), link)).endResult).to.equal('OK');
      const late = await login();
      loop.world.clock.advance(151_000);
      expect(await refusalOf(saranPhone, linkOf(late, 'Web2App'))).to.equal('SESSION_EXPIRED');
    });

    it('is no QR code of the future', async () => {
      const session = await login();
      expect(await refusalOf(saranPhone, linkOf(session, 'QR', 30))).to.equal(
        'DEVICE_LINK_EXPIRED',
      );
    });

    it('opens nothing when anything in it was changed', async () => {
      const session = await login();
      const other = await login();
      const [web, qr] = [linkOf(session, 'Web2App'), linkOf(session, 'QR', 1)];
      const code = /authCode=(.)/.exec(web)?.[1] ?? '';
      for (const [what, link] of [
        ['another authCode', web.replace(/authCode=./, `authCode=${code === 'A' ? 'B' : 'A'}`)],
        ['another kind of link', web.replace('Web2App', 'App2App')],
        ['a QR code passed off as a link', qr.replace('=QR&elapsedSeconds=1', '=Web2App')],
        ['a younger QR code', qr.replace('elapsedSeconds=1', 'elapsedSeconds=9')],
        ['another purpose', web.replace('sessionType=auth', 'sessionType=sign')],
        ['another language', web.replace('lang=mon', 'lang=eng')],
        ['another address', web.replace('eid.example', 'evil.example')],
        ["another session's token", web.replace(session.sessionToken, other.sessionToken)],
      ] as const) {
        expect([what, await refusalOf(saranPhone, link)]).to.deep.equal([
          what,
          'DEVICE_LINK_INVALID',
        ]);
      }
      const unknown = `Aa${'0'.repeat(22)}`;
      expect(await refusalOf(saranPhone, web.replace(session.sessionToken, unknown))).to.equal(
        'SESSION_NOT_FOUND',
      );
      expect((await saranPhone.open(web)).sessionId).to.equal(session.sessionId);
    });

    it('opens once: after that for nobody but the phone that opened it', async () => {
      const session = await login();
      const link = linkOf(session, 'App2App');
      await boldPhone.open(link);
      expect(await refusalOf(saranPhone, link)).to.equal('SESSION_ALREADY_CLAIMED');
      expect((await openAsScripted(scripted(boldPhone), link)).endResult).to.equal('OK');
      expect(await refusalOf(boldPhone, link)).to.equal('SESSION_ALREADY_COMPLETE');
    });

    it('does not exist for a citizen it is not meant for', async () => {
      const session = await rp.auth.deviceLinkByEtsi(bold.civilId, interactions, {
        generation: 'G2',
      });
      const link = linkOf(session, 'Web2App');
      expect(await refusalOf(saranPhone, link)).to.equal('SESSION_NOT_FOUND');
      expect((await openAsScripted(scripted(boldPhone), link)).endResult).to.equal('OK');
    });

    it('is of the second generation: a flat session has none', async () => {
      const flat = await login({ generation: 'G1' });
      const nested = await login();
      const link = linkOf(nested, 'Web2App').replace(nested.sessionToken, flat.sessionToken);
      expect(await refusalOf(saranPhone, link)).to.equal('DEVICE_LINK_INVALID');
    });

    it('is refused by the phone itself when it is malformed or says something else', async () => {
      const web = linkOf(await login(), 'Web2App');
      for (const link of [
        'hello',
        'tamga://approve?sessionId=1',
        web.replace('version=1.0', 'version=2.0'),
        web.replace('deviceLinkType=Web2App', 'deviceLinkType=NFC'),
        web.replace('deviceLinkType=Web2App', 'deviceLinkType=Web2App&deviceLinkType=QR'),
        web.replace('deviceLinkType=Web2App', 'deviceLinkType=QR'),
        web.replace('deviceLinkType=Web2App', 'deviceLinkType=Web2App&elapsedSeconds=1'),
        web.replace(/&authCode=.*/, ''),
      ]) {
        expect(await rejection(saranPhone.open(link)), link).to.be.instanceOf(LinkError);
      }
    });
  });

  it('is pasted at the terminal, answered there, and says where to return to', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tamga-links-'));
    const screen = openTerminal({ baseUrl: loop.origin, directory });
    try {
      const card = cardOf(saran);
      for (const line of [card.identifier, card.cardNumber, card.birthDate, '', '1111', '22222']) {
        screen.type(line);
      }
      await screen.shows('Waiting for requests');
      const session = await login({ callbackUrl });
      screen.type(linkOf(session, 'Web2App').replace('Web2App', 'App2App'));
      await screen.shows('was not made for this session');
      screen.type(linkOf(session, 'Web2App'));
      await screen.shows(`Code: ${session.vc}`);
      screen.type('1111');
      await screen.shows(/Return to: .+&sessionSecretDigest=.+&userChallengeVerifier=/);

      const { body } = await call(
        `${loop.origin}/v3/signature/certificate-choice/device-link/anonymous`,
        {
          method: 'POST',
          headers: { authorization: `Bearer ${loop.secret}` },
          body: { relyingPartyUUID: loop.relyingPartyId, relyingPartyName: 'DEMO' },
        },
      );
      screen.forget();
      screen.type(String(body['sessionID']));
      await screen.shows('DEMO asks for your signing certificate');
      screen.type('22222');
      await screen.shows('Type y or n');
      screen.type('y');
      await screen.shows('Result: OK');
    } finally {
      screen.type('q');
      await screen.finished;
      await rm(directory, { recursive: true, force: true });
    }
  });

  describe('without a signature', () => {
    it('opens in every form: the bare id, the app scheme, the address with a code', async () => {
      const flat = await login({ generation: 'G1' });
      for (const form of [flat.sessionId, plainDeviceLink(flat), ` ${flat.sessionId}\n`]) {
        expect((await saranPhone.open(form)).sessionId, form).to.equal(flat.sessionId);
      }
      const nested = await login();
      const link = plainDeviceLink(nested);
      expect(link).to.match(/^https:\/\/eid\.example\/device-link\?sessionId=.+&vc=\d{5}$/);
      const { endResult } = await openAsScripted(scripted(saranPhone), link);
      expect(endResult).to.equal('OK');
      const result = await rp.session.waitForResult(nested.sessionId, wait);
      expect(rp.validator.validateAuth(result, nested).subject.givenName).to.equal('Саран');
    });

    it('is left alone when it shows another code than the one of what would be signed', async () => {
      const session = await login();
      const other = String((Number(session.vc) + 1) % 100_000).padStart(5, '0');
      const link = plainDeviceLink({ ...session, vc: other });
      expect(await rejection(saranPhone.open(link))).to.be.instanceOf(LinkError);
    });
  });

  describe('on its way back', () => {
    it('proves to the relying party that the phone that answered is the one that returned', async () => {
      const session = await login({ callbackUrl });
      const { returnTo } = await openAsScripted(scripted(saranPhone), linkOf(session, 'Web2App'));
      const returned = new URL(returnTo ?? '');
      expect(returned.origin + returned.pathname).to.equal(
        'https://rp.example.com/auth/eid/callback',
      );
      const result = await rp.session.waitForResult(session.sessionId, wait);
      rp.validator.validateAuth(result, session);
      checkCallback(returned, { session, result, state: '7' });

      const other = await login({ callbackUrl });
      await openAsScripted(scripted(saranPhone), linkOf(other, 'Web2App'));
      const otherResult = await rp.session.waitForResult(other.sessionId, wait);
      expect(() => checkCallback(returned, { session: other, result: otherResult })).to.throw(
        ValidationError,
      );
    });

    it('brings no verifier with a signature, and only the digest in the first generation', async () => {
      const session = await rp.sign.deviceLinkByDocument(boldDocument, digest, interactions, {
        generation: 'G2',
        callbackUrl,
      });
      const signed = await openAsScripted(scripted(boldPhone), linkOf(session, 'App2App'));
      const result = await rp.session.waitForResult(session.sessionId, wait);
      checkCallback(new URL(signed.returnTo ?? ''), { session, result, state: '7' });

      const flat = await login({ generation: 'G1', callbackUrl });
      const { returnTo } = await openAsScripted(scripted(saranPhone), plainDeviceLink(flat));
      for (const address of [signed.returnTo, returnTo]) {
        expect([...new URL(address ?? '').searchParams.keys()]).to.deep.equal([
          'state',
          'sessionSecretDigest',
        ]);
      }
    });

    it('leads nowhere from a QR code, which was on another screen', async () => {
      const session = await login({ callbackUrl });
      const { endResult, returnTo } = await openAsScripted(
        scripted(saranPhone),
        linkOf(session, 'QR'),
      );
      expect([endResult, returnTo]).to.deep.equal(['OK', null]);
    });
  });
});

import { createPublicKey, verify } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createPhone, type Phone } from '../../apps/phone/phone.ts';
import type { PhoneRequest } from '../../apps/phone/session.ts';
import { createFilePhoneStore, createMemoryPhoneStore } from '../../apps/phone/phoneStore.ts';
import { PinError, unlock } from '../../apps/phone/pinKeys.ts';
import {
  type ScriptedEvent,
  type ScriptedOutcome,
  type ScriptedPhone,
  startScriptedPhones,
} from '../../apps/phone/scripted.ts';
import { verificationCode } from '../../apps/phone/crypto.ts';
import { sign } from '../../apps/phone/signing.ts';
import { type DeviceWorld, openDeviceWorld } from '../support/worlds/deviceWorld.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { signal } from '../support/assertions/waiting.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { openTerminal } from '../support/programs/terminal.ts';
import { bold, saran, cardOf } from '../support/given/persons.ts';

const pins = { pin1: '1111', pin2: '22222' };

describe('The simulated phone', () => {
  let world: DeviceWorld;
  let origin: string;
  let server: Awaited<ReturnType<DeviceWorld['serve']>>['server'];
  let directory: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-phone-'));
    world = await openDeviceWorld();
    ({ origin, server } = await world.serve());
  });

  after(async () => {
    await server.stop();
    await world.stop();
    await rm(directory, { recursive: true, force: true });
  });

  async function enrolled(record = bold) {
    const phone = createPhone({ baseUrl: origin, store: createMemoryPhoneStore() });
    await phone.enrol({ card: cardOf(record), ...pins });
    return phone;
  }

  it('computes the four-digit code of the published example', async () => {
    const challenge =
      'GYS+yoah6emAcVDNIajwSs6UB/M95XrDxMzXBUkwQJ9YFDipXXzGpPc7raWcuc2+TEoRc7WvIZ/7dU/iRXenYg==';
    expect(await verificationCode(Buffer.from(challenge, 'base64'))).to.equal('7180');
  });

  it('keeps its PIN keys sealed in a file that only its owner may read', async () => {
    const path = join(directory, 'sealed', 'bold.json');
    const phone = createPhone({ baseUrl: origin, store: createFilePhoneStore(path) });
    const identity = await phone.enrol({ card: cardOf(bold), ...pins });
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
    const text = await readFile(path, 'utf8');
    expect(text).not.to.contain(pins.pin2).and.not.to.contain('PRIVATE KEY');
    const { signing } = JSON.parse(text) as { signing: { sealed: { cost: number } } };
    expect(signing.sealed.cost).to.equal(14);
    const again = createPhone({ baseUrl: origin, store: createFilePhoneStore(path) });
    expect(await again.identity()).to.deep.equal(identity);
    expect(await again.enrol({ card: cardOf(saran), ...pins })).to.deep.equal(identity);
  });

  for (const keyType of ['p256', 'rsa']) {
    it(`reads the file that the former release wrote, with ${keyType} keys`, async () => {
      const path = join(directory, `${keyType}.json`);
      await copyFile(`test/fixtures/phones/${keyType}.json`, path);
      const store = createFilePhoneStore(path);
      const wrong = unlock(store, { name: 'PIN2', pin: '00000' }, () => Promise.resolve());
      expect(await rejection(wrong)).to.be.instanceOf(PinError);
      const payload = new TextEncoder().encode('signed');
      const keys = (await createFilePhoneStore(path).load())?.keys;
      expect(keys?.PIN2.wrongPins).to.equal(1);
      for (const [name, pin] of [
        ['PIN1', pins.pin1],
        ['PIN2', pins.pin2],
      ] as const) {
        const signature = await unlock(store, { name, pin }, (key) => sign(key, { payload }));
        const spki = Buffer.from(keys?.[name].publicKey ?? []);
        const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
        expect(verify('sha256', payload, key, signature)).to.equal(true);
      }
      expect((await createFilePhoneStore(path).load())?.keys.PIN2.wrongPins).to.equal(0);
    });
  }

  it('says so when its file is damaged', async () => {
    const path = join(directory, 'damaged.json');
    await writeFile(path, '{');
    const phone = createPhone({ baseUrl: origin, store: createFilePhoneStore(path) });
    expect(await rejection(phone.identity())).to.be.instanceOf(SyntaxError);
  });

  it('counts wrong PINs and locks after three', async () => {
    const phone = await enrolled();
    const request = await phone.open(await world.start());
    const attempt = async (pin: string) => rejection(phone.confirm(request, pin));
    expect(await attempt('0000'))
      .to.be.instanceOf(PinError)
      .with.property('attemptsLeft', 2);
    expect(await phone.confirm(request, pins.pin1)).to.equal('OK');
    const next = await phone.open(await world.start());
    for (const left of [2, 1, 0]) {
      const error = await rejection(phone.confirm(next, '0000'));
      expect(error).to.be.instanceOf(PinError).with.property('attemptsLeft', left);
    }
    expect(await rejection(phone.confirm(next, pins.pin1)))
      .to.be.instanceOf(PinError)
      .with.property('attemptsLeft', 0);
    expect(await phone.refuse(next.sessionId, 'DOCUMENT_UNUSABLE')).to.equal('DOCUMENT_UNUSABLE');
  });

  it('finishes an enrolment whose answer was lost, with the same device', async () => {
    const store = createMemoryPhoneStore();
    let lose = true;
    const fetchImpl: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (!lose || !(input as string).endsWith('/enrolments')) return response;
      await response.arrayBuffer();
      throw new Error('connection lost');
    };
    const phone = createPhone({ baseUrl: origin, store, fetchImpl });
    expect(await rejection(phone.enrol({ card: cardOf(bold), ...pins }))).to.have.property(
      'code',
      'UNREACHABLE',
    );
    const devices = () =>
      world.eventStore.events.filter(({ event }) => event.type === 'DeviceEnrolled');
    const before = devices().length;
    lose = false;
    const identity = await phone.identity();
    expect(identity?.documentNumber).to.equal(
      (devices().at(-1)?.event.data as { documentNumber: string }).documentNumber,
    );
    expect(devices()).to.have.length(before);
  });

  it('begins anew when an interrupted enrolment has become too old', async () => {
    const store = createMemoryPhoneStore();
    const fetchImpl: typeof fetch = (input, init) =>
      (input as string).endsWith('/enrolments')
        ? Promise.reject(new Error('no connection'))
        : fetch(input, init);
    const offline = createPhone({ baseUrl: origin, store, fetchImpl });
    await rejection(offline.enrol({ card: cardOf(bold), ...pins }));
    world.clock.advance(15 * 60_000);
    try {
      const now = () => world.clock.now();
      const phone = createPhone({ baseUrl: origin, store, now });
      expect(await phone.identity()).to.equal(null);
      expect((await phone.enrol({ card: cardOf(bold), ...pins })).etsi).to.equal(
        'PNOMN-110000000001',
      );
    } finally {
      world.clock.advance(-15 * 60_000);
    }
  });

  describe('answers by itself', () => {
    const outcomes: readonly ScriptedOutcome[] = [
      'OK',
      'USER_REFUSED',
      'USER_REFUSED_DISPLAYTEXTANDPIN',
      'WRONG_VC',
      'DOCUMENT_UNUSABLE',
    ];
    for (const outcome of outcomes) {
      it(`with ${outcome}, each time`, async () => {
        const phone = await enrolled(saran);
        const { documentNumber } = (await phone.identity()) ?? { documentNumber: '' };
        const running = startScriptedPhones([{ phone, ...pins, outcome }]);
        try {
          for (const kind of ['AUTHENTICATION', 'SIGNATURE'] as const) {
            const sessionId = await world.start({ civilId: saran.civilId, documentNumber, kind });
            const ended = await eventually(async () => {
              const found = await world.outcomeOf(sessionId);
              if (found === null) throw new Error('still running');
              return found;
            });
            expect(ended.endResult).to.equal(outcome);
          }
        } finally {
          await running.stop();
        }
      });
    }

    it('not at all for TIMEOUT, and sees each session once', async () => {
      const phone = await enrolled(saran);
      const { documentNumber } = (await phone.identity()) ?? { documentNumber: '' };
      const events: ScriptedEvent[] = [];
      const scripted: ScriptedPhone = { phone, ...pins, outcome: 'TIMEOUT' };
      const running = startScriptedPhones([scripted], (_, event) => events.push(event));
      const first = await world.start({ civilId: saran.civilId, documentNumber });
      const second = await world.start({ civilId: saran.civilId, documentNumber });
      await eventually(() => expect(events.length).to.be.at.least(2));
      await running.stop();
      expect(
        events.map((event) => event.type === 'ignored' && event.request.sessionId),
      ).to.deep.equal([first, second]);
      expect(await world.outcomeOf(first)).to.equal(null);
    });

    it('looking at each session once, though more are ignored than it can tell the service', async () => {
      const ids = Array.from({ length: 30 }, () => crypto.randomUUID());
      const asked = new Map<string, number>();
      let inboxes = 0;
      const phone = {
        inbox: ({ seen = [] }: { readonly seen?: readonly string[] } = {}) => {
          expect(seen.length).to.be.at.most(20);
          inboxes += 1;
          return Promise.resolve(ids.filter((id) => !seen.includes(id)));
        },
        open: (id: string) => {
          asked.set(id, (asked.get(id) ?? 0) + 1);
          return Promise.resolve({ sessionId: id } as PhoneRequest);
        },
      } as unknown as Phone;
      const running = startScriptedPhones([{ phone, ...pins, outcome: 'TIMEOUT' }]);
      await eventually(() => expect(inboxes).to.be.at.least(2));
      await running.stop();
      expect([...asked.values()]).to.deep.equal(ids.map(() => 1));
      expect(inboxes).to.equal(2);
    });

    it('to a login whose code is chosen only after looking at it as long as it is told', async () => {
      const opened = signal();
      const confirmed: string[] = [];
      const interaction = { type: 'confirmationMessageAndVerificationCodeChoice', text: '' };
      const phone = {
        inbox: () => Promise.resolve(['one']),
        open: (sessionId: string) => {
          opened.raise();
          const asked = { sessionId, kind: 'AUTHENTICATION', pin: 'PIN1', interaction };
          return Promise.resolve(asked as PhoneRequest);
        },
        confirm: ({ sessionId }: PhoneRequest) => {
          confirmed.push(sessionId);
          return Promise.resolve('OK');
        },
      } as unknown as Phone;
      const scripted: ScriptedPhone = { phone, ...pins, outcome: 'OK' };
      const looking = startScriptedPhones([scripted], undefined, { lookingMs: 3_600_000 });
      await opened.raised;
      await looking.stop();
      expect(confirmed).to.deep.equal([]);
      const atOnce = startScriptedPhones([scripted]);
      await eventually(() => expect(confirmed).to.deep.equal(['one']));
      await atOnce.stop();
    });

    it('again after the service was unavailable', async () => {
      const phone = await enrolled(saran);
      const { documentNumber } = (await phone.identity()) ?? { documentNumber: '' };
      const events: ScriptedEvent[] = [];
      const running = startScriptedPhones([{ phone, ...pins, outcome: 'OK' }], (_, event) =>
        events.push(event),
      );
      await world.untilListening(saran.civilId);
      const { port } = server.address();
      await server.stop(100);
      await eventually(() => expect(events.some(({ type }) => type === 'trouble')).to.equal(true));
      const sessionId = await world.start({ civilId: saran.civilId, documentNumber });
      server = await world.serveAt(port);
      await eventually(async () =>
        expect((await world.outcomeOf(sessionId))?.endResult).to.equal('OK'),
      );
      await running.stop();
    });
  });

  describe('at the terminal', () => {
    const terminal = (where: string) => openTerminal({ baseUrl: origin, directory: where });

    it('enrols a citizen, shows a request with its code, and confirms with the PIN', async () => {
      const where = join(directory, 'terminal');
      const screen = terminal(where);
      for (const line of ['УБ85031512', 'E00000001', '1985-03-15', 'P-256', '1111', '22222']) {
        screen.type(line);
      }
      await screen.shows('Enrolled: PNOMN-110000000001, document number [0-9a-f-]{36}');
      await screen.shows('Waiting for requests');
      const sessionId = await world.start();
      await screen.shows('DEMO asks you to log in\\n {2}Log in to DEMO\\n {2}Code: \\d{4}');
      screen.type('9999');
      await screen.shows('PIN1 is wrong, 2 attempts left');
      screen.type('1111');
      await screen.shows('Result: OK');
      expect((await world.outcomeOf(sessionId))?.endResult).to.equal('OK');

      screen.forget();
      await world.start();
      await screen.shows('Code:');
      screen.type('n');
      await screen.shows('Result: USER_REFUSED');

      screen.forget();
      await world.start({ relyingPartyName: 'Khan Bank', registeredName: 'Small Shop' });
      await screen.shows('Small Shop \\(«Khan Bank»\\) asks you to log in');
      await screen.shows('Code:');
      screen.type('n');
      await screen.shows('Result: USER_REFUSED');

      screen.forget();
      const link = await world.start({
        civilId: null,
        flow: 'DEVICE_LINK',
        relyingPartyName: 'DE\u001b[2JMO',
        subsystem: 'sh\u001b[1Aop',
        interactions: [{ type: 'displayTextAndPIN', displayText60: 'red\u001b[31m alert' }],
        callbackUrl: 'https://rp.example/auth/eid/callback?state=1',
      });
      screen.type(`tamga://approve?sessionId=${link}`);
      await screen.shows(/^DE \[2JMO \(sh \[1Aop\) asks you to log in\n {2}red \[31m alert/m);
      screen.type('1111');
      await screen.shows('Return to: https://rp.example/auth/eid/callback');
      screen.type('q');
      await screen.finished;

      const second = terminal(where);
      await second.shows('Which phone');
      second.type('1');
      await second.shows('Waiting for requests');
      second.type('q');
      await second.finished;
    });

    it('offers the codes to choose from, and says when it cannot show the request', async () => {
      const where = join(directory, 'choosing');
      const screen = terminal(where);
      for (const line of ['УБ85031512', 'E00000001', '1985-03-15', 'P-256', '1111', '22222']) {
        screen.type(line);
      }
      await screen.shows('Waiting for requests');
      const choosing = {
        interactions: [
          {
            type: 'confirmationMessageAndVerificationCodeChoice' as const,
            displayText200: 'Which one?',
          },
        ],
      };
      const codesOf = async (sessionId: string) => {
        const { state } = await world.sessions.load(sessionId);
        return state.status === 'NONE' ? '' : state.started.verificationCode;
      };
      const right = await world.start(choosing);
      await screen.shows('Which one\\?\\n {2}Codes: \\d{4} {2}\\d{4} {2}\\d{4}');
      const code = await codesOf(right);
      await screen.shows(`Codes:.* ${code}`);
      screen.type('1111');
      await screen.shows('Type the code, a space and the PIN');
      screen.type(`${code} 1111`);
      await screen.shows('Result: OK');

      screen.forget();
      const wrong = await world.start(choosing);
      await screen.shows('Codes:');
      screen.type(`${await codesOf(wrong)}0 1111`);
      await screen.shows('Result: WRONG_VC');

      screen.forget();
      const foreign = [{ type: 'dance', displayText60: 'x' }] as unknown as [];
      await world.start({ interactions: foreign });
      await screen.shows('Result: REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP');

      screen.forget();
      await world.start();
      await screen.shows('Code:');
      screen.type('n');
      await screen.shows('Result: USER_REFUSED');
      screen.type('q');
      await screen.finished;
    });

    it('says why an enrolment failed', async () => {
      const screen = terminal(join(directory, 'refused'));
      for (const line of ['110000000002', 'E1', '1985-03-15', '', '1111', '22222'])
        screen.type(line);
      await screen.finished;
      await screen.shows('Not enrolled');
    });
  });
});

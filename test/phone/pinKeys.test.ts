import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { newKeyPair } from '../../apps/phone/crypto.ts';
import type { PhoneState, PhoneStore } from '../../apps/phone/phoneState.ts';
import { createMemoryPhoneStore } from '../../apps/phone/phoneStore.ts';
import {
  changePin,
  lockedPinsOf,
  PinError,
  restingPinsOf,
  unlock,
  wrapUnder,
} from '../../apps/phone/pinKeys.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { launchChromium, leaveChromium } from '../support/browser/chromium.ts';

// The module itself in a browser, beside a store of the test: what is tried here cannot be timed through the page.

/** The state of a phone whose PINs are 1111 and 22222, then one right PIN1 and one wrong PIN2 at once. */
const AT_ONCE = `
  import { newKeyPair } from './apps/phone/crypto.ts';
  import { unlock, wrapUnder } from './apps/phone/pinKeys.ts';
  import { openStore } from './apps/phone/web/core/store.ts';
  const { pinHash, alone } = await openStore();
  const pepper = await pinHash.newPepper();
  const wrapped = async (pin) => wrapUnder(pin, await newKeyPair('P-256', true), { pinHash, pepper });
  let state = { keyType: 'P-256', pepper, keys: { PIN1: await wrapped('1111'), PIN2: await wrapped('22222') } };
  const store = { pinHash, alone, load: async () => state, save: async (next) => void (state = next) };
  const attempt = (name, pin) => unlock(store, { name, pin }, async () => 'open').catch((error) => error.message);
  const answers = await Promise.all([attempt('PIN1', '1111'), attempt('PIN2', '00000')]);
  globalThis.tried = { answers, wrong: [state.keys.PIN1.wrongPins, state.keys.PIN2.wrongPins] };
`;

describe('PINs of the phone in the browser', function () {
  this.timeout(60_000);
  let browser: Browser;
  let page: Page;
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html>');
  });

  before(async function () {
    browser = (await launchChromium()) ?? this.skip();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  });

  after(async () => {
    await leaveChromium(browser);
    server.close();
  });

  it('are counted each for itself: a right PIN1 takes back no wrong PIN2 tried beside it', async () => {
    const { outputFiles } = await build({
      stdin: { contents: AT_ONCE, resolveDir: process.cwd() },
      bundle: true,
      format: 'esm',
      write: false,
    });
    await page.addScriptTag({ type: 'module', content: outputFiles[0]?.text ?? '' });
    await page.waitForFunction('globalThis.tried !== undefined');
    expect(await page.evaluate('globalThis.tried')).to.deep.equal({
      answers: ['open', 'PIN2 is wrong, 2 attempts left.'],
      wrong: [0, 1],
    });
  });
});

describe('PINs of a phone', () => {
  const HOUR_MS = 3_600_000;

  /** A phone whose PINs are 1111, at a clock of its own. */
  async function phoneAt(start: number) {
    const store = createMemoryPhoneStore();
    const { pinHash } = store;
    const pepper = await pinHash.newPepper();
    const wrapped = await wrapUnder('1111', await newKeyPair('P-256', true), { pinHash, pepper });
    const keys = { PIN1: wrapped, PIN2: wrapped };
    await store.save({ keyType: 'P-256', pepper, keys } as PhoneState);
    const clock = { now: start };
    const tried = async (pin: string) => {
      const attempt = unlock(
        store,
        { name: 'PIN1', pin },
        () => Promise.resolve(),
        () => clock.now,
      );
      const error = await attempt.then(
        () => null,
        (cause: unknown) => cause,
      );
      if (error === null) return 'open';
      expect(error).to.be.instanceOf(PinError);
      if (!(error instanceof PinError)) return 'another error';
      return error.attemptsLeft > 0 ? error.attemptsLeft : error.restsUntil;
    };
    const state = async () => {
      const found = await store.load();
      if (found === null) throw new Error('The phone is gone.');
      return found;
    };
    return { store, clock, tried, state };
  }

  const wrongThrice = async (tried: (pin: string) => Promise<unknown>) => [
    await tried('0000'),
    await tried('0000'),
    await tried('0000'),
  ];

  it('are locked for three hours, then a day, then for good', async () => {
    const { clock, tried, state } = await phoneAt(0);
    expect(await wrongThrice(tried)).to.deep.equal([2, 1, '1970-01-01T03:00:00.000Z']);
    expect(await tried('1111'), 'the right one is not tried either').to.equal(
      '1970-01-01T03:00:00.000Z',
    );
    expect(restingPinsOf(await state(), clock.now)).to.deep.equal([
      { pin: 'PIN1', until: '1970-01-01T03:00:00.000Z' },
    ]);
    clock.now = 3 * HOUR_MS;
    expect(restingPinsOf(await state(), clock.now)).to.deep.equal([]);
    expect(await wrongThrice(tried)).to.deep.equal([2, 1, '1970-01-02T03:00:00.000Z']);
    clock.now = 27 * HOUR_MS;
    expect(lockedPinsOf(await state())).to.deep.equal([]);
    expect(await wrongThrice(tried)).to.deep.equal([2, 1, null]);
    clock.now = 1000 * HOUR_MS;
    expect(await tried('1111')).to.equal(null);
    expect(lockedPinsOf(await state())).to.deep.equal(['PIN1']);
  });

  it('begin anew after a right one', async () => {
    const { clock, tried } = await phoneAt(0);
    await wrongThrice(tried);
    clock.now = 4 * HOUR_MS;
    expect(await tried('1111')).to.equal('open');
    expect(await wrongThrice(tried), 'the short one again').to.deep.equal([
      2,
      1,
      '1970-01-01T07:00:00.000Z',
    ]);
  });

  it('stay locked for good on a phone that knew no other lock', async () => {
    const { store, tried, state } = await phoneAt(0);
    const { keys, ...rest } = await state();
    await store.save({ ...rest, keys: { ...keys, PIN1: { ...keys.PIN1, wrongPins: 3 } } });
    expect(await tried('1111')).to.equal(null);
    expect(lockedPinsOf(await state())).to.deep.equal(['PIN1']);
  });

  it('are changed with the former one alone, for the same key', async () => {
    const { store, tried, state } = await phoneAt(0);
    const { publicKey } = (await state()).keys.PIN1;
    expect(
      await rejection(changePin(store, { name: 'PIN1', pin: '0000' }, '2580')),
    ).to.be.instanceOf(PinError);
    await changePin(store, { name: 'PIN1', pin: '1111' }, '2580');
    expect((await state()).keys.PIN1.publicKey).to.equal(publicKey);
    expect(await tried('1111')).to.equal(2);
    expect(await tried('2580')).to.equal('open');
    const other = unlock(store, { name: 'PIN2', pin: '1111' }, () => Promise.resolve('open'));
    expect(await other, 'the other PIN').to.equal('open');
  });

  it('are counted when one was tried, and not when its key could not be derived', async () => {
    const store = createMemoryPhoneStore();
    const { pinHash } = store;
    const pepper = await pinHash.newPepper();
    const wrapped = await wrapUnder('1111', await newKeyPair('P-256', true), { pinHash, pepper });
    const keys = { PIN1: wrapped, PIN2: wrapped };
    await store.save({ keyType: 'P-256', pepper, keys } as PhoneState);
    const attempt = (pin: string, of: PhoneStore = store) =>
      rejection(unlock(of, { name: 'PIN1', pin }, () => Promise.resolve()));
    const counted = async () => (await store.load())?.keys.PIN1.wrongPins;

    const lost = () => Promise.reject(new Error('The pepper is lost.'));
    const broken = { ...store, pinHash: { ...pinHash, wrappingKey: lost } };
    expect(await attempt('1111', broken))
      .to.be.an('error')
      .with.property('message', 'The pepper is lost.');
    expect(await counted()).to.equal(0);
    expect(await attempt('0000')).to.be.instanceOf(PinError);
    expect(await counted()).to.equal(1);
  });
});

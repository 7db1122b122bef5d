import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sha256Base64 } from '../../client/index.ts';
import {
  type BrowserPhone,
  enrolPhone,
  pins,
  spareCitizen,
} from '../support/browser/browserPhone.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { openPhoneWorld, type PhoneWorld } from '../support/worlds/phoneWorld.ts';

const long = {
  type: 'confirmationMessage',
  displayText200: 'Transfer 1 250 000 ₮ to Саран Дорж, account 5001 2345 67, for "rent, May".',
} as const;
const short = { type: 'displayTextAndPIN', displayText60: 'Transfer 1 250 000 ₮' } as const;
const choice = {
  type: 'confirmationMessageAndVerificationCodeChoice',
  displayText200: 'Open an account in your name at the bank.',
} as const;

describe('The phone in the browser', function () {
  this.timeout(120_000);
  let world: PhoneWorld;
  let phone: BrowserPhone;
  const citizen = `PNOMN-${spareCitizen().identifier}`;

  before(async function () {
    world = (await openPhoneWorld()) ?? this.skip();
    phone = await enrolPhone(await world.visit(), world.origin);
  });

  afterEach(() => world.expectNoFaults());

  after(() => (world as PhoneWorld | undefined)?.stop());

  async function endResultOf(session: { readonly sessionId: string }): Promise<string> {
    const { endResult } = await world.client.session.waitForResult(session.sessionId);
    return String(endResult);
  }

  const login = (text = 'Log in to the library') =>
    world.client.auth.notificationByEtsi(citizen, [
      { type: 'displayTextAndPIN', displayText60: text },
    ]);

  it('confirms a login with PIN1, which the client library validates', async () => {
    const session = await login();
    const text = await phone.awaitRequest();
    expect(text).to.contain('Tamga Demo').and.to.contain('Log in to the library');
    expect(await phone.code()).to.equal(session.vc.value);
    await world.picture(phone.page, 'login');
    await phone.confirm();
    expect(await phone.result()).to.equal('OK');
    await world.picture(phone.page, 'login-done');
    const answer = await world.client.session.waitForResult(session.sessionId);
    const { subject } = world.client.validator.validateAuth(answer, session);
    expect(subject.serialNumber).to.equal(citizen);
    await phone.home();
  });

  for (const hashType of ['SHA256', 'SHA512'] as const) {
    it(`signs a ${hashType} digest with PIN2, which the client library validates`, async () => {
      const digest =
        hashType === 'SHA256'
          ? sha256Base64('I order 3 goats.')
          : Buffer.alloc(64, 7).toString('base64');
      const options = { hashType, fileName: 'Гэрээ 2026.pdf' } as const;
      const session = await world.client.sign.digestByEtsi(citizen, digest, [short], options);
      const text = await phone.awaitRequest();
      expect(text).to.contain('Гэрээ 2026.pdf');
      expect(await phone.code()).to.equal(session.vc.value);
      await world.picture(phone.page, 'signature');
      await phone.confirm();
      expect(await phone.result()).to.equal('OK');
      const answer = await world.client.session.waitForResult(session.sessionId);
      expect(() => world.client.validator.validateSign(answer, digest)).not.to.throw();
      await phone.home();
    });
  }

  it('shows every document of several, and signs each with one PIN2', async () => {
    const documents = ['Lease of a flat', 'List of the furniture'].map((displayText60, index) => ({
      digest: sha256Base64(displayText60),
      displayText60,
      fileName: `${index}.pdf`,
    }));
    const session = await world.client.sign.batchByEtsi(citizen, documents, [short]);
    const text = await phone.awaitRequest();
    for (const { displayText60, fileName } of documents) {
      expect(text).to.contain(displayText60).and.to.contain(fileName);
    }
    expect(await phone.code()).to.equal(session.vc.value);
    await world.picture(phone.page, 'batch');
    await phone.confirm();
    expect(await phone.result()).to.equal('OK');
    const answer = await world.client.session.waitForResult(session.sessionId);
    expect(() => world.client.validator.validateBatch(answer, documents)).not.to.throw();
    await phone.home();
  });

  it('shows the long text first and the short one beside the PIN', async () => {
    const session = await world.client.auth.notificationByEtsi(citizen, [long, short], {
      generation: 'G2',
    });
    const first = await phone.awaitRequest();
    expect(first).to.contain(long.displayText200).and.not.to.contain('Enter PIN1');
    expect(await phone.code()).to.equal(session.vc.value);
    await world.picture(phone.page, 'message');
    await phone.accept();
    await phone.page.getByText('Enter PIN1').waitFor();
    expect(await phone.awaitRequest()).to.contain(short.displayText60);
    await phone.confirm();
    expect(await phone.result()).to.equal('OK');
    const answer = await world.client.session.waitForResult(session.sessionId);
    expect(answer.interactionTypeUsed).to.equal('confirmationMessage');
    expect(() => world.client.validator.validateAuth(answer, session)).not.to.throw();
    await phone.home();
  });

  describe('asked for one code of three', () => {
    const ask = () => world.client.auth.notificationByEtsi(citizen, [choice], { generation: 'G2' });

    it('goes on to the PIN with the right one', async () => {
      const session = await ask();
      const first = await phone.awaitRequest();
      expect(first, 'the code is to be chosen').not.to.contain(session.vc.value);
      await phone.accept();
      await phone.page.locator('.code-choice button').first().waitFor();
      await world.picture(phone.page, 'code-choice');
      await phone.chooseCode(session.vc.value);
      await phone.confirm();
      expect(await phone.result()).to.equal('OK');
      expect(await endResultOf(session)).to.equal('OK');
      await phone.home();
    });

    it('ends the session with WRONG_VC for another', async () => {
      const session = await ask();
      await phone.awaitRequest();
      await phone.accept();
      await phone.chooseCode(await phone.wrongCode(session.vc.value));
      expect(await phone.result()).to.equal('WRONG_VC');
      await world.picture(phone.page, 'wrong-code');
      expect(await endResultOf(session)).to.equal('WRONG_VC');
      await phone.home();
    });

    it('lets the citizen refuse to choose', async () => {
      const session = await ask();
      await phone.awaitRequest();
      await phone.accept();
      await phone.page.locator('.code-choice button').first().waitFor();
      await phone.refuse();
      expect(await phone.result()).to.equal('USER_REFUSED_VC_CHOICE');
      expect(await endResultOf(session)).to.equal('USER_REFUSED_VC_CHOICE');
      await phone.home();
    });
  });

  describe('refuses', () => {
    it('at the PIN, with the reason the citizen gives', async () => {
      for (const [reason, endResult] of [
        ['plain', 'USER_REFUSED'],
        ['notMe', 'USER_REFUSED_NOT_ME'],
        ['code', 'WRONG_VC'],
        ['document', 'DOCUMENT_UNUSABLE'],
      ] as const) {
        const digest = sha256Base64(reason);
        const session = await world.client.sign.digestByEtsi(citizen, digest, [short]);
        await phone.awaitRequest();
        await phone.refuse(reason);
        expect(await phone.result()).to.equal(endResult);
        expect(await endResultOf(session)).to.equal(endResult);
        await phone.home();
      }
    });

    it('at the confirmation message', async () => {
      const options = { generation: 'G2' } as const;
      const session = await world.client.auth.notificationByEtsi(citizen, [long], options);
      await phone.awaitRequest();
      await phone.refuse();
      expect(await phone.result()).to.equal('USER_REFUSED_CONFIRMATIONMESSAGE');
      expect(await endResultOf(session)).to.equal('USER_REFUSED_CONFIRMATIONMESSAGE');
      await phone.home();
    });
  });

  it('keeps several requests in line, and puts one off', async () => {
    const first = await login('The first');
    await phone.awaitRequest();
    const second = await login('The second');
    await phone.page.locator('.count').waitFor();
    await world.picture(phone.page, 'several');
    await phone.page.getByRole('button', { name: /Later/ }).click();
    await phone.page.getByText('The second').waitFor();
    expect(await phone.code()).to.equal(second.vc.value);
    await phone.confirm();
    expect(await phone.result()).to.equal('OK');
    await phone.page.getByText('The first').waitFor();
    expect(await phone.code()).to.equal(first.vc.value);
    await phone.confirm();
    await phone.page.locator('main.end[data-result=OK]').waitFor();
    expect(await endResultOf(first)).to.equal('OK');
    expect(await endResultOf(second)).to.equal('OK');
    await phone.home();
  });

  it('takes a request off the screen that the relying party takes back', async () => {
    const session = await login('Taken back');
    await phone.awaitRequest();
    // The inbox is open again once the request is shown: what ends before that is told at its end.
    await eventually(async () => {
      const { progress } = await world.client.session.poll(session.sessionId, 0);
      expect(progress).to.equal('PIN_ENTRY');
    });
    await world.client.session.cancel(session.sessionId);
    await phone.page.locator('main.end[data-result=ENDED_ELSEWHERE]').waitFor();
    await phone.home();
  });

  it('tells what it says of itself only when the citizen agrees, or confirms where it is required', async () => {
    const asking = async (riskSignalsRequired: boolean) => {
      const shown = [{ type: 'displayTextAndPIN', displayText60: 'Log in to the bank' }] as const;
      const options = { riskSignals: ['rooted', 'emulator'], riskSignalsRequired } as const;
      const started = await world.client.auth.notificationByEtsi(citizen, shown, options);
      expect(await phone.awaitRequest()).to.contain('whether it is a simulated one');
      return started;
    };
    const answered = async ({ sessionId }: { readonly sessionId: string }) => {
      await phone.confirm();
      expect(await phone.result()).to.equal('OK');
      await phone.home();
      return (await world.client.session.waitForResult(sessionId)).riskSignals;
    };
    const told = { rooted: null, emulator: true };
    const silent = await asking(false);
    const consent = phone.page.locator('input[name=tells]');
    expect(await consent.isChecked()).to.equal(false);
    await world.picture(phone.page, 'signals');
    expect(await answered(silent)).to.equal(null);
    const agreed = await asking(false);
    await consent.check();
    expect(await answered(agreed)).to.deep.equal(told);
    const required = await asking(true);
    expect(await consent.count()).to.equal(0);
    expect(await answered(required)).to.deep.equal(told);
  });

  it('gives its signing certificate without a PIN, and refuses to', async () => {
    const give = await world.client.sign.certificateChoiceNotification(citizen);
    expect(await phone.awaitRequest()).to.contain('asks for your certificate');
    await world.picture(phone.page, 'certificate');
    await phone.page.getByRole('button', { name: 'Give certificate' }).click();
    expect(await phone.result()).to.equal('OK');
    expect(await endResultOf(give)).to.equal('OK');
    await phone.home();
    const keep = await world.client.sign.certificateChoiceNotification(citizen);
    await phone.awaitRequest();
    await phone.refuse();
    expect(await phone.result()).to.equal('USER_REFUSED_CERT_CHOICE');
    expect(await endResultOf(keep)).to.equal('USER_REFUSED_CERT_CHOICE');
    await phone.home();
  });

  it('lists what was answered', async () => {
    await phone.page.locator('nav.tabs button').nth(2).click();
    const entries = phone.page.locator('.entries li');
    await entries.first().waitFor();
    expect(await entries.count()).to.be.at.least(8);
    const results = await entries.evaluateAll((all) =>
      (all as unknown as { dataset: Record<string, string> }[]).map(({ dataset }) => dataset),
    );
    expect(results.map(({ result }) => result)).to.include.members([
      'OK',
      'USER_REFUSED_CERT_CHOICE',
    ]);
    await entries.first().locator('summary').click();
    await entries.first().locator('a[href^="/me/history/"]').waitFor();
    await world.picture(phone.page, 'history');
    await phone.page.locator('nav.tabs button').first().click();
  });

  it('is still the same phone after it was closed, and says when there is no connection', async () => {
    const { page } = phone;
    const context = page.context();
    await page.evaluate('navigator.serviceWorker.ready');
    await page.reload();
    await page.locator('[data-connection=connected]').waitFor();
    await context.setOffline(true);
    await page.reload();
    await page.locator('[data-connection=offline]').waitFor();
    await world.picture(page, 'offline');
    await context.setOffline(false);
    const session = await login();
    await phone.awaitRequest();
    expect(await phone.code()).to.equal(session.vc.value);
    await phone.confirm();
    expect(await phone.result()).to.equal('OK');
    await phone.home();
  });

  it('asks for the camera only when it is wanted, and does without when it is refused', async () => {
    const { page } = phone;
    await page.locator('nav.tabs button').nth(1).click();
    await page.getByRole('button', { name: 'Start the camera' }).click();
    await page.getByText('This page may not use the camera').waitFor();
    await page.locator('nav.tabs button').first().click();
  });

  it('keeps keys that no script can read', async () => {
    const kept = await phone.page.evaluate<object>(`new Promise((resolve) => {
      const opening = indexedDB.open('tamga-phone');
      opening.onsuccess = () => {
        const get = opening.result.transaction('state').objectStore('state').get('phone');
        get.onsuccess = async () => {
          const { transport, pepper, keys } = get.result;
          const imported = crypto.subtle.importKey(
            'pkcs8', keys.PIN2.wrapped, { name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign']);
          resolve({
            extractable: [transport.extractable, pepper.extractable],
            isReadable: await imported.then(() => true, () => false),
            iterations: keys.PIN1.iterations,
          });
        };
      };
    })`);
    expect(kept).to.deep.equal({
      extractable: [false, false],
      isReadable: false,
      iterations: 600_000,
    });
  });

  describe('asked for a PIN', () => {
    let other: BrowserPhone;
    const owner = spareCitizen(1);

    before(async () => {
      other = await enrolPhone(await world.visit(), world.origin, owner);
    });

    const ask = () => world.client.auth.notificationByEtsi(`PNOMN-${owner.identifier}`, [short]);

    async function attemptsLeft(page: Page, wrong: string): Promise<string> {
      await other.confirm(wrong);
      const problem = page.locator('main[aria-busy=false] :is(.problem, [data-problem])');
      await problem.waitFor();
      return problem.innerText();
    }

    it('counts consecutive wrong ones, resets after a right one, and locks after three', async () => {
      const first = await ask();
      await other.awaitRequest();
      expect(await attemptsLeft(other.page, '0001')).to.contain('Attempts left: 2');
      await world.picture(other.page, 'wrong-pin');
      await other.confirm();
      expect(await other.result()).to.equal('OK');
      expect(await endResultOf(first)).to.equal('OK');
      await other.home();

      const second = await ask();
      await other.awaitRequest();
      expect(await attemptsLeft(other.page, '0001')).to.contain('Attempts left: 2');
      // Nothing is forgotten by closing the page.
      await other.page.reload();
      await other.awaitRequest();
      expect(await attemptsLeft(other.page, '0002')).to.contain('Attempts left: 1');
      await other.confirm('0003');
      expect(await other.result()).to.equal('DOCUMENT_UNUSABLE');
      expect(await other.page.locator('main.end').innerText()).to.contain('three more attempts');
      expect(await endResultOf(second), 'c7: the request ends at once').to.equal(
        'DOCUMENT_UNUSABLE',
      );
      await other.home();
    });

    it('changes a PIN with the former one, typed twice and not weak', async () => {
      const nextOwner = spareCitizen(2);
      const own = await enrolPhone(await world.visit(), world.origin, nextOwner);
      const { page } = own;
      const type = async (step: string, pin: string) => {
        await page.locator(`[data-change-step=${step}]`).waitFor();
        for (const digit of pin) await page.keyboard.press(digit);
      };
      await page.locator('nav.tabs button').nth(3).click();
      await page.locator('[data-change=PIN1]').click();
      await type('former', '0001');
      await page.getByText('Attempts left: 2').waitFor();
      await type('former', pins.pin1);
      await type('choose', '1234');
      await page.locator('dialog .problem').waitFor();
      await type('choose', nextOwner.birthDate.slice(5).replace('-', ''));
      await page.getByText('Your date of birth').waitFor();
      await type('choose', '1379');
      await type('repeat', '1379');
      await page.locator('[data-change-step=done]').waitFor();
      await page.getByRole('button', { name: 'Close' }).click();
      const begun = await world.client.auth.notificationByEtsi(`PNOMN-${nextOwner.identifier}`, [
        short,
      ]);
      await own.awaitRequest();
      await own.confirm('1379');
      expect(await own.result()).to.equal('OK');
      expect(await endResultOf(begun)).to.equal('OK');
    });

    it('c7: a locked PIN is shown at home and in the account, also after a reload, and has a way out', async () => {
      const { page } = other;
      const lock = page.locator('[data-locked="PIN1"]');
      await lock.waitFor();
      expect(await lock.innerText(), 'for a time at first').to.contain('three more attempts');
      await page.reload();
      await lock.waitFor();
      await world.picture(page, 'locked');
      expect(await page.locator('[data-connection=connected]').count()).to.equal(0);
      await lock.getByRole('button', { name: 'Deactivate and set up again' }).click();
      await page.locator('dialog').waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.locator('nav.tabs button').nth(3).click();
      await page.getByText('Locked', { exact: true }).waitFor();
      await page.locator('nav.tabs button').nth(0).click();
    });

    it('c7: leaves a push to the other phones while its PIN rests', async () => {
      const further = await ask();
      await other.page.locator('nav.tabs button').nth(0).click();
      await other.page.locator('[data-left-out]').getByText('is waiting for your answer').waitFor();
      const sound = await enrolPhone(await world.visit(), world.origin, owner);
      await sound.awaitRequest();
      await sound.confirm();
      expect(await sound.result()).to.equal('OK');
      expect(await endResultOf(further)).to.equal('OK');
    });

    it('is given up by typing who it is, and is then nobody', async () => {
      const { page } = other;
      await page.locator('nav.tabs button').nth(3).click();
      await page.getByText('Valid', { exact: true }).first().waitFor();
      await world.picture(page, 'account');
      const documentNumber = await page.locator('dd.mono').first().innerText();
      const own = await world.client.auth.notificationByDocument(documentNumber, [short]);
      expect(await endResultOf(own), 'asked alone while its PIN rests').to.equal(
        'DOCUMENT_UNUSABLE',
      );
      await page.reload();
      await page.locator('nav.tabs button').nth(3).click();
      await page.getByRole('button', { name: 'Deactivate this phone' }).click();
      const remove = page.locator('dialog button[type=submit]');
      expect(await remove.isEnabled()).to.equal(false);
      await page.locator('dialog input').fill('9999');
      expect(await remove.isEnabled()).to.equal(false);
      await page.locator('dialog input').fill(owner.identifier.slice(-4));
      await world.picture(page, 'remove');
      await remove.click();
      await page.locator('ul.choices').waitFor();
      const refused = await rejection(
        world.client.auth.notificationByDocument(documentNumber, [short]),
      );
      expect((refused as { status?: number }).status).to.equal(404);
    });
  });

  it('says when an operator has deactivated it', async () => {
    const page = await world.visit();
    await enrolPhone(page, world.origin, spareCitizen(2));
    await page.locator('nav.tabs button').nth(3).click();
    const documentNumber = await page.locator('dd.mono').first().innerText();
    await page.locator('nav.tabs button').first().click();
    await world.service.deactivateDevice(documentNumber, 1);
    await page.reload();
    await page.locator('[data-connection=notActive]').waitFor();
    await world.picture(page, 'deactivated');
    await page.getByRole('button', { name: 'Remove it from this device' }).click();
    await page.locator('ul.choices').waitFor();
  });
});

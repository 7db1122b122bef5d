import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import encodeQR from 'qr';
import {
  checkCallback,
  codeLink,
  type DeviceLinkSession,
  plainDeviceLink,
  signedDeviceLink,
} from '../../client/index.ts';
import { type BrowserPhone, enrolPhone, spareCitizen } from '../support/browser/browserPhone.ts';
import { recordingSwitches } from '../support/browser/microphone.ts';
import { openPhoneWorld, type PhoneWorld } from '../support/worlds/phoneWorld.ts';

const interactions = [
  { type: 'displayTextAndPIN', displayText60: 'Log in at the counter' },
] as const;

/** A film of one still picture, YUV4MPEG2: black modules on white in the middle of it. */
function filmOf(text: string): Buffer {
  const [width, height, scale] = [640, 480, 6];
  const modules = encodeQR(text, 'raw', { border: 4 });
  const luma = Buffer.alloc(width * height, 235);
  const left = Math.floor((width - modules.length * scale) / 2);
  const top = Math.floor((height - modules.length * scale) / 2);
  modules.forEach((row, y) =>
    row.forEach((dark, x) => {
      if (!dark) return;
      for (let line = 0; line < scale; line += 1) {
        const start = (top + y * scale + line) * width + left + x * scale;
        luma.fill(16, start, start + scale);
      }
    }),
  );
  const chroma = Buffer.alloc((width * height) / 2, 128);
  const frame = Buffer.concat([Buffer.from('FRAME\n'), luma, chroma]);
  const header = Buffer.from(`YUV4MPEG2 W${width} H${height} F10:1 Ip A1:1 C420jpeg\n`);
  return Buffer.concat([header, frame, frame]);
}

describe('The phone in the browser, with a camera and little time,', function () {
  this.timeout(120_000);
  let world: PhoneWorld;
  let phone: BrowserPhone;
  let directory: string;
  let film: string;

  before(async function () {
    directory = await mkdtemp(join(tmpdir(), 'tamga-film-'));
    film = join(directory, 'qr.y4m');
    await writeFile(film, filmOf('nothing'));
    const switches = [...recordingSwitches, `--use-file-for-fake-video-capture=${film}`];
    // Long enough for a busy machine to read a code and sign, shorter than a page is waited for.
    world = (await openPhoneWorld({ SVC_SESSION_WINDOW: '18' }, switches)) ?? this.skip();
    phone = await enrolPhone(await world.visit(), world.origin);
  });

  afterEach(() => world.expectNoFaults());

  after(async () => {
    await (world as PhoneWorld | undefined)?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it('reads the QR code another screen shows', async () => {
    const session = await world.client.auth.deviceLinkAnonymous(interactions);
    await writeFile(film, filmOf(plainDeviceLink(session)));
    const { page } = phone;
    await page.context().grantPermissions(['camera'], { origin: world.origin });
    await page.locator('nav.tabs button').nth(1).click();
    await page.getByRole('button', { name: 'Start the camera' }).click();
    const text = await phone.awaitRequest();
    expect(text).to.contain('Log in at the counter');
    expect(await phone.code()).to.equal(session.vc);
    await phone.confirm();
    expect(await phone.result()).to.equal('OK');
    const answer = await world.client.session.waitForResult(session.sessionId);
    expect(() => world.client.validator.validateAuth(answer, session)).not.to.throw();
    await phone.home();
  });

  it('lets an unanswered request expire, as at the relying party', async () => {
    const citizen = `PNOMN-${spareCitizen().identifier}`;
    const session = await world.client.auth.notificationByEtsi(citizen, interactions);
    const text = await phone.awaitRequest();
    expect(text).to.match(/0:[01]\d left/);
    expect(await phone.result()).to.equal('TIMEOUT');
    await world.picture(phone.page, 'timeout');
    const { endResult } = await world.client.session.waitForResult(session.sessionId);
    expect(endResult).to.equal('TIMEOUT');
    await phone.home();
  });

  describe('given a device link', () => {
    const plain = (options: object = {}) =>
      world.client.auth.deviceLinkAnonymous(interactions, options);

    async function openAndConfirm(session: DeviceLinkSession): Promise<void> {
      await phone.awaitRequest();
      expect(await phone.code()).to.equal(session.vc);
      await phone.confirm();
      expect(await phone.result()).to.equal('OK');
      const answer = await world.client.session.waitForResult(session.sessionId);
      expect(() => world.client.validator.validateAuth(answer, session)).not.to.throw();
    }

    it('opens it by the address of the page', async () => {
      const session = await plain();
      await phone.openLink(codeLink(session));
      await openAndConfirm(session);
      expect(phone.page.url()).to.equal(`${world.origin}/phone`);
      await phone.home();
    });

    it('opens it by the address the link itself has, as it was signed', async () => {
      const session = await plain({ generation: 'G2' });
      const link = signedDeviceLink(session, { type: 'Web2App' });
      await phone.page.goto(world.origin + new URL(link).pathname + new URL(link).search);
      await openAndConfirm(session);
      await phone.home();
    });

    it('returns to the relying party that sent the citizen', async () => {
      const callbackUrl = 'https://rp.example.mn/back?state=7';
      const session = await plain({ generation: 'G2', callbackUrl });
      await phone.page
        .context()
        .route('https://rp.example.mn/**', (route) =>
          route.fulfill({ contentType: 'text/html', body: '<h1>Welcome back</h1>' }),
        );
      await phone.openLink(signedDeviceLink(session, { type: 'Web2App' }));
      await openAndConfirm(session);
      await phone.page.getByText('Welcome back').waitFor();
      const result = await world.client.session.waitForResult(session.sessionId);
      const returned = new URL(phone.page.url());
      expect(() => checkCallback(returned, { session, result, state: '7' })).not.to.throw();
      await phone.page.goto(`${world.origin}/phone`);
      await phone.home();
    });

    it('reads it from a picture of a QR code', async () => {
      const session = await plain({ generation: 'G2' });
      const picture = await world.qrPicture(signedDeviceLink(session, { type: 'QR' }));
      await phone.openPicture(picture);
      await openAndConfirm(session);
      await phone.home();
    });

    it('pasted as text, and says when it leads nowhere', async () => {
      await phone.page.getByRole('button', { name: 'Open a link' }).click();
      const field = phone.page.locator('form.link input');
      await field.fill('tamga://approve?sessionId=nonsense');
      await field.press('Enter');
      await phone.page.getByText('This link does not lead to a request.').waitFor();
      await world.picture(phone.page, 'link');
      const session = await plain();
      await field.fill(codeLink(session));
      await field.press('Enter');
      await phone.awaitRequest();
      await phone.refuse();
      expect(await phone.result()).to.equal('USER_REFUSED');
      const { endResult } = await world.client.session.waitForResult(session.sessionId);
      expect(endResult).to.equal('USER_REFUSED');
      await phone.home();
    });
  });
});

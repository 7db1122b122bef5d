import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import encodeQR from 'qr';
import { plainDeviceLink } from '../../client/index.ts';
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
    world.expectNoFaults();
  });
});

import { expect } from 'chai';
import {
  type DemoBankWorld,
  failureOf,
  openDemoBankWorld,
} from '../support/worlds/demoBankWorld.ts';
import type { Visitor } from '../support/browser/visitors.ts';

describe('Demo Bank: a payment that the platform shows', function () {
  this.timeout(240_000);
  let world: DemoBankWorld;
  let stop = (): Promise<void> => Promise.resolve();

  before(async function () {
    world = (await openDemoBankWorld()) ?? this.skip();
    stop = world.stop;
  });

  afterEach(() => world.leave());
  after(() => stop());

  async function ask({ page }: Visitor, amount: string): Promise<void> {
    await page.locator('#pay-to').fill('Nomin Supermarket');
    await page.locator('#pay-amount').fill(amount);
    await page.locator('#pay-for').fill('Invoice 2041');
    await page.locator('#consented button.primary').click();
    await page.locator('#payment dd').first().waitFor();
  }

  it('is authorized on the phone and on its pages, and named by the token', async () => {
    const visitor = await world.customer();
    const { page } = visitor;
    await ask(visitor, '1250000');
    expect(await page.locator('#payment').textContent())
      .to.include('1,250,000 MNT')
      .and.include('Nomin Supermarket');
    await page.locator('#id').fill(world.phones.owner.citizen.civilId);
    await page.locator('form.push button').click();
    await page.locator('button[value=allow]').click();
    const done = page.locator('[data-done=payment]');
    await done.waitFor();
    expect(await done.textContent())
      .to.include('Nomin Supermarket')
      .and.include('Invoice 2041');
  });

  it('is not made when the citizen goes back, nor by an address from elsewhere', async () => {
    const visitor = await world.customer();
    const { page } = visitor;
    await ask(visitor, '49900');
    await page.locator('form[action$="/abort"] button').click();
    expect(await failureOf(visitor)).to.equal('refused');
    await page.goto(`${world.origin}/demo/paid?code=a&state=b`);
    expect(await failureOf(visitor)).to.equal('wrongBrowser');
  });
});

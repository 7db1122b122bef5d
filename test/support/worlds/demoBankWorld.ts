import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { demoCitizens, demoOrganization } from '../../../main/cli/demo.ts';
import { buildDemoBank, demoBankPath } from '../../../main/cli/demoBank.ts';
import { prepareOidcClient } from '../../../main/cli/demoOidc.ts';
import type { Setup, Visitor } from '../browser/visitors.ts';
import { type GivenPages, givenPages } from '../given/givenPages.ts';
import { anOrganization } from '../given/wishes.ts';
import { demoEnvironment } from '../installation/demoInstallation.ts';
import type { Settings } from '../installation/serviceProcess.ts';
import { steadyPort } from '../programs/ports.ts';

/**
 * Demo Bank beside the service, as `./tamga up` has it, and a Chromium to visit its first page with. The phone of the
 * owner confirms by itself; its citizen may act for the demo organization.
 */
export interface DemoBankWorld extends GivenPages<'owner'> {
  /** A browser of its own, logged in by push as the owner. */
  customer(setup?: Setup): Promise<Visitor>;
}

/** @returns null without Chromium */
export async function openDemoBankWorld(settings: Settings = {}): Promise<DemoBankWorld | null> {
  // Other test processes build theirs at the same time; outside of the project it would not find its packages.
  const build = resolve('dist/test-artefacts', `demo-bank-${process.pid}`);
  const bank = await buildDemoBank(build);
  const { register, name, nameLatin } = demoOrganization;
  const world = await givenPages({
    // A port known beforehand, so that certificates name an OCSP address that answers.
    settings: { SVC_PORT: String(await steadyPort('service')), ...settings },
    hooks: { mounts: [bank.mount] },
    phones: { owner: '110000000001' },
    answering: ['owner'],
    organization: { ...anOrganization(register, name, nameLatin), admin: 'owner' },
  });
  const stop = async () => {
    await world?.stop();
    await rm(build, { recursive: true, force: true });
  };
  if (world === null) {
    await stop();
    return null;
  }
  const citizens = Object.fromEntries(
    demoCitizens.map(({ variable, civilId }) => [variable, `PNOMN-${civilId}`]),
  );
  const openId = await prepareOidcClient(world.service, world.relyingPartyId, undefined);
  bank.open(world.origin, {
    ...citizens,
    ...(await demoEnvironment(world)),
    OIDC_ISSUER: openId.issuer,
    OIDC_CLIENT_ID: openId.clientId,
    OIDC_CLIENT_SECRET: openId.clientSecret,
  });

  const visit = async (setup?: Setup) => {
    const visitor = await world.visit(setup);
    await visitor.open(demoBankPath);
    return visitor;
  };

  return {
    ...world,
    visit,
    customer: async (setup) => {
      const visitor = await visit(setup);
      await logInByPush(visitor, world.phones.owner.citizen.civilId);
      await visitor.page.locator('#identity').waitFor();
      return visitor;
    },
    stop,
  };
}

/** Fills the form of the first page and sends it. */
export async function logInByPush({ page }: Visitor, id: string): Promise<void> {
  await page.locator('#id').fill(id);
  await page.locator('form[action$="/login/push"] button.primary').click();
}

/** Title of an error page. */
export async function failureOf({ page }: Visitor): Promise<string> {
  const message = page.locator('[data-failure]');
  // A net: files of megabytes take their time on a busy machine.
  await message.waitFor({ timeout: 100_000 });
  return (await message.getAttribute('data-failure')) ?? '';
}

/** Opens where the app sends the citizen. The waiting page may find out at the same moment, and go on by itself. */
export async function comeBack(page: Page, returnTo: string | null): Promise<void> {
  await page.goto(returnTo ?? '').catch((error: unknown) => {
    if (!String(error).includes('ERR_ABORTED')) throw error;
  });
}

import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { demoCitizens, demoOrganization } from '../../../cli/demo.ts';
import { buildDemoBank, demoBankPath } from '../../../cli/demoBank.ts';
import { type ScriptedPhones, startScriptedPhones } from '../../../phone/scripted.ts';
import { launchChromium, leaveChromium } from '../browser/chromium.ts';
import { type Setup, type Visitor, visitorOf } from '../browser/visitors.ts';
import {
  demoEnvironment,
  type DemoInstallation,
  type DemoPhone,
  startDemoInstallation,
} from '../installation/demoInstallation.ts';
import { type Settings } from '../installation/serviceProcess.ts';
import { steadyPort } from '../programs/ports.ts';
import { anOrganization, aRight } from '../given/wishes.ts';

/** Demo Bank beside the service, as `./tamga up` has it, and a Chromium to visit it with. */
export interface DemoBankWorld {
  readonly demo: DemoInstallation;
  readonly browser: Browser;
  /** Phone that confirms by itself; its citizen may act for the demo organization. */
  readonly owner: DemoPhone;
  /** A browser of its own at the bank's first page; English unless told otherwise. */
  visit(setup?: Setup): Promise<Visitor>;
  /** The same, logged in by push as the owner. */
  customer(setup?: Setup): Promise<Visitor>;
  /** Enrols further demo citizens whose phones answer by themselves from now on. */
  enrolAnswering(...civilIds: readonly string[]): Promise<void>;
  /** Closes the browsers of a test and expects that none complained. */
  leave(): Promise<void>;
  stop(): Promise<void>;
}

/** @returns null without Chromium */
export async function openDemoBankWorld(settings: Settings = {}): Promise<DemoBankWorld | null> {
  const browser = await launchChromium();
  if (browser === null) {
    process.stdout.write('Chromium is missing: Demo Bank is not looked at.\n');
    return null;
  }
  // Other test processes build theirs at the same time; outside of the project it would not find its packages.
  const build = resolve('dist/test-artefacts', `demo-bank-${process.pid}`);
  const bank = await buildDemoBank(build);
  // A port known beforehand, so that certificates name an OCSP address that answers.
  const port = String(await steadyPort('service'));
  const demo = await startDemoInstallation(
    { SVC_PORT: port, ...settings },
    { mounts: [bank.mount] },
  );
  const { origin } = demo.service;
  const citizens = Object.fromEntries(
    demoCitizens.map(({ variable, civilId }) => [variable, `PNOMN-${civilId}`]),
  );
  bank.open(origin, { ...citizens, ...(await demoEnvironment(demo)) });
  const owner = await demo.enrol('110000000001');
  await letRepresent(demo, owner);
  const phones: ScriptedPhones[] = [startScriptedPhones([owner])];
  const visitors: Visitor[] = [];

  async function visit(setup: Setup = {}): Promise<Visitor> {
    const visitor = await visitorOf(browser as Browser, origin, { language: 'en', ...setup });
    visitors.push(visitor);
    await visitor.open(demoBankPath);
    return visitor;
  }

  return {
    demo,
    browser,
    owner,
    visit,
    customer: async (setup) => {
      const visitor = await visit(setup);
      await logInByPush(visitor, owner.citizen.civilId);
      await visitor.page.locator('#identity').waitFor();
      return visitor;
    },
    enrolAnswering: async (...civilIds) => {
      for (const civilId of civilIds) phones.push(startScriptedPhones([await demo.enrol(civilId)]));
    },
    leave: async () => {
      const left = visitors.splice(0);
      for (const visitor of left) await visitor.leave();
      expect(left.flatMap(({ faults }) => faults)).to.deep.equal([]);
    },
    stop: async () => {
      await leaveChromium(browser);
      for (const each of phones) await each.stop();
      await demo.stop();
      await rm(build, { recursive: true, force: true });
    },
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

async function letRepresent({ service }: DemoInstallation, { citizen }: DemoPhone): Promise<void> {
  const { register, name, nameLatin } = demoOrganization;
  await service.organizations.register(anOrganization(register, name, nameLatin));
  await service.organizations.grant(register, citizen.civilId, aRight('ADMIN', 'Захирал'));
}

/** Opens where the app sends the citizen. The waiting page may find out at the same moment, and go on by itself. */
export async function comeBack(page: Page, returnTo: string | null): Promise<void> {
  await page.goto(returnTo ?? '').catch((error: unknown) => {
    if (!String(error).includes('ERR_ABORTED')) throw error;
  });
}

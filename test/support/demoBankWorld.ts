import type { Page } from 'playwright-core';
import { buildDemoBank, demoBankPath } from '../../cli/demoBank.ts';
import { type ScriptedPhones, startScriptedPhones } from '../../phone/scripted.ts';
import {
  demoEnvironment,
  type DemoInstallation,
  startDemoInstallation,
} from './demoInstallation.ts';
import { freePort, type Settings } from './serviceProcess.ts';

/** Demo Bank beside the service, as `./tamga up` has it. */
export interface DemoBankWorld {
  readonly demo: DemoInstallation;
  /** Where the bank is. */
  readonly address: string;
  /** Enrols citizens whose phones answer by themselves from now on. */
  enrolAnswering(...civilIds: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

export async function startDemoBankWorld(
  settings: Settings = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<DemoBankWorld> {
  const bank = await buildDemoBank();
  // A port known beforehand, so that certificates name an OCSP address that answers.
  const port = String(await freePort());
  const demo = await startDemoInstallation(
    { SVC_PORT: port, ...settings },
    { mounts: [bank.mount] },
  );
  const phones: ScriptedPhones[] = [];
  bank.open(demo.service.origin, { ...(await demoEnvironment(demo)), ...environment });
  return {
    demo,
    address: demo.service.origin + demoBankPath,
    enrolAnswering: async (...civilIds) => {
      for (const civilId of civilIds) phones.push(startScriptedPhones([await demo.enrol(civilId)]));
    },
    stop: async () => {
      for (const each of phones) await each.stop();
      await demo.stop();
    },
  };
}

/** What a page must never do: speak to another origin, or complain on its console. */
export function watch(page: Page, origin: string): { readonly complaints: readonly string[] } {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) complaints.push(`asked ${request.url()}`);
  });
  return { complaints };
}

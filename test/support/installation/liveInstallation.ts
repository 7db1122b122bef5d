import { expect } from 'chai';
import { createServiceProcess, type ServiceProcess, type Settings } from './serviceProcess.ts';
import { prepareInstallation } from './installation.ts';
import {
  createLiveRelyingParty,
  type CreatedSession,
  enrolLivePhone,
  liveCitizens,
  type LiveCitizen,
  type LivePhone,
  type LiveRelyingParty,
} from '../../../main/drill/callers.ts';

/** An installation of its own: the service as a process, a relying party, an enrolled phone. */
export interface LiveInstallation {
  readonly service: ServiceProcess;
  readonly relyingParty: LiveRelyingParty;
  readonly phone: LivePhone;
}

/** A citizen of the demo's civil registry, by number. */
export function liveCitizen(number: number): LiveCitizen {
  const citizen = liveCitizens[number];
  if (citizen === undefined) throw new Error(`There is no citizen ${number}.`);
  return citizen;
}

/**
 * Prepares an installation with `settings` and starts its service.
 *
 * @param detours settings that lead the service, and only it, through something a test controls
 */
export async function startInstallation(
  settings: Settings,
  detours: Settings = {},
): Promise<LiveInstallation> {
  const credentials = await prepareInstallation(settings);
  const service = await createServiceProcess({ ...settings, ...detours });
  await service.start();
  const phone = await enrolLivePhone(service.origin, liveCitizen(0));
  return { service, relyingParty: createLiveRelyingParty(service.origin, credentials), phone };
}

/** A session waiting for the phone. @throws Error when it is not created */
export async function createdBy({
  relyingParty,
  phone,
}: LiveInstallation): Promise<CreatedSession> {
  const { created, status } = await relyingParty.create(phone.civilId);
  if (created === undefined) throw new Error(`No session was created: ${status}.`);
  return created;
}

/** A whole authentication. */
export async function cycle(installed: LiveInstallation): Promise<void> {
  const session = await createdBy(installed);
  const polled = installed.relyingParty.poll(session.sessionId, 20_000);
  expect(await installed.phone.confirm(session)).to.equal('OK');
  expect((await polled).body['state']).to.equal('COMPLETE');
}

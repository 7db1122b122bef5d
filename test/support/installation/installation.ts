import type { Service } from '../../../main/main.ts';
import { createServiceHere } from './serviceHere.ts';
import type { Settings } from './serviceProcess.ts';
import type { RelyingPartyCredentials } from '../../../main/drill/callers.ts';
import { aParty } from '../given/wishes.ts';

/**
 * Starts the service in this process, beside others and on connections of its own: a start takes a fifth of the processor
 * time of a process. For suites that neither kill it nor read its output.
 */
export async function startServiceHere(settings: Settings): Promise<Service> {
  const service = createServiceHere({ ...settings, SVC_PORT: '0' });
  await service.start();
  return service;
}

/** Works on an installation the way a maintenance command does: in this process, without HTTP. */
export async function maintaining<Result>(
  settings: Settings,
  work: (service: Service) => Promise<Result>,
): Promise<Result> {
  const service = createServiceHere(
    { ...settings, SVC_PORT: '0', SVC_ROLES: 'projector' },
    { isCommand: true },
  );
  await service.start();
  try {
    return await work(service);
  } finally {
    await service.stop();
  }
}

/** Makes an installation usable: the schema, the authorities, the demo's civil registry and one relying party. */
export function prepareInstallation(settings: Settings): Promise<RelyingPartyCredentials> {
  return maintaining(settings, async (service) => {
    await service.importRegister('civil', 'infrastructure/registry/demo/civil-registry.csv');
    return service.registerRelyingParty(aParty('Fault tests', ['AUTH', 'SIGN']));
  });
}

import { readConfig } from '../../../infrastructure/config/config.ts';
import {
  createEcdsaDigestPool,
  type EcdsaDigestPool,
} from '../../../infrastructure/pki/ecdsaDigestPool.ts';
import { createService, type Service, type ServiceHooks } from '../../../main/main.ts';
import { commonSettings, type Settings } from './serviceProcess.ts';

/** Threads of all services of this process, which end with it: each would load and compile the arithmetic anew. */
const digests: EcdsaDigestPool = { ...createEcdsaDigestPool(), stop: () => Promise.resolve() };

/** A service of this process with the settings of every test service and these; opens nothing before `start`. */
export function createServiceHere(settings: Settings, hooks: ServiceHooks = {}): Service {
  const config = readConfig({ ...commonSettings(), SVC_PORT: '0', ...settings });
  return createService(config, { aroundDigests: () => digests, ...hooks });
}

import { join } from 'node:path';
import type { Config } from '../../infrastructure/config/config.ts';
import type { Service } from '../main.ts';
import type { ScriptedPhone } from '../../apps/phone/scripted.ts';
import { demoCitizens } from './demo.ts';
import { type DemoFile, readDemoFile, writeDemoFile } from './demoFile.ts';
import { prepareOidcClient } from './demoOidc.ts';
import { type DemoOperators, signInDemoOperators } from './demoOperators.ts';
import type { DemoPassport } from './demoPassport.ts';
import { enrolDemoCitizens, prepareDemoOrganization } from './demoPeople.ts';
import type { DemoIssuer } from './demoPlatform.ts';
import { orLeaveOut, type ProgressReport } from './demoProgress.ts';
import { prepareRelyingParty } from './demoRelyingParty.ts';

const registryCsv = 'infrastructure/registry/demo/civil-registry.csv';
const organizationsCsv = 'infrastructure/registry/demo/organization-registry.csv';

export interface Demo {
  /** Path of `demo.json`. */
  readonly path: string;
  readonly file: DemoFile;
  readonly phones: readonly ScriptedPhone[];
  readonly operators: DemoOperators;
}

export interface DemoParts {
  readonly issuer: DemoIssuer;
  readonly passport: DemoPassport | null;
  readonly telling: ProgressReport;
}

/** Makes, or finds in kept data, all that the demo shows; leaves out what kept data does not allow. */
export async function prepareDemo(
  service: Service,
  config: Pick<Config, 'SVC_DATA_DIR' | 'SVC_VERIFY_BASE'>,
  { issuer, passport, telling }: DemoParts,
): Promise<Demo> {
  const dataDir = config.SVC_DATA_DIR;
  const known = await readDemoFile(dataDir);
  await service.importRegister('civil', registryCsv);
  await service.importRegister('organizations', organizationsCsv);
  const relyingParty = await prepareRelyingParty(service, known.relyingParty, telling);
  telling.step(`Enrolling the phones of ${demoCitizens.length} citizens`);
  const { citizens, phones } = await enrolDemoCitizens(service, dataDir, telling);
  const trust = await service.writeTrustFiles(join(dataDir, 'trust'));
  const organization = await prepareDemoOrganization(service, citizens, {
    relyingPartyId: relyingParty.uuid,
    telling,
  });
  const operators = await signInDemoOperators(service, telling);
  const openIdConnect = await orLeaveOut(telling, 'the OpenID Connect client', () =>
    prepareOidcClient(service, relyingParty.uuid, known.openIdConnect ?? undefined),
  );
  const file: DemoFile = {
    rpApiBase: service.origin,
    baseUrl: service.origin,
    verifyBase: config.SVC_VERIFY_BASE ?? service.origin,
    relyingParty,
    citizens,
    organization,
    platform: await issuer.issue(service.origin),
    openIdConnect,
    passport,
    operator: operators.operator?.account ?? null,
    approver: operators.approver?.account ?? null,
    trust,
  };
  return { path: await writeDemoFile(dataDir, file), file, phones, operators };
}

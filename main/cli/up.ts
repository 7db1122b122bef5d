import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../infrastructure/config/config.ts';
import { expectReadable } from '../../infrastructure/postgres/keptData.ts';
import { createService } from '../main.ts';
import { startScriptedPhones } from '../../apps/phone/scripted.ts';
import { demoCitizens } from './demo.ts';
import { assistantHint } from './demoAssistant.ts';
import { buildDemoBank, demoBankPath } from './demoBank.ts';
import { variablesOf } from './demoFile.ts';
import { loginToTry } from './demoOidc.ts';
import { demoPassportOf } from './demoPassport.ts';
import { createDemoIssuer } from './demoPlatform.ts';
import { type DemoParts, prepareDemo } from './demoPreparation.ts';
import { shortReport, wholeReport } from './demoProgress.ts';
import { showAll } from './demoShows.ts';
import { explainForeign } from './explainForeign.ts';
import { demoConfig } from './openService.ts';
import { runUntilSignal } from './runUntilSignal.ts';
import { say } from './say.ts';

/** Time a demo citizen takes over a code to choose, ms: a person who logs in as one sees the page. */
const LOOKING_MS = 3000;

/**
 * Starts everything, prepares the demo, shows logins, signatures, a seal, a document and four eyes,
 * serves until a signal.
 *
 * @param verbose tells every part of what is shown, and how to use the rest
 */
export async function up({ verbose = false }: { readonly verbose?: boolean } = {}): Promise<void> {
  const issuer = createDemoIssuer(process.env);
  const passport = await demoPassportOf(demoConfig());
  const config = demoConfig({
    ...(passport && { SVC_KYC_PASSPORT_CSCA: passport.authority }),
    SVC_SOLE_PROCESS: 'true',
    SVC_ROLES: process.env['SVC_ROLES'] ?? 'api,projector,worker,console',
    SVC_LOG_LEVEL: process.env['SVC_LOG_LEVEL'] ?? 'error',
    SVC_HELP_LINE: process.env['SVC_HELP_LINE'] ?? 'help@tamga.example',
    SVC_ADMIN_REQUIRE_4EYES: process.env['SVC_ADMIN_REQUIRE_4EYES'] ?? 'true',
    SVC_PUSH_TEST_CITIZENS: demoCitizens.map(({ civilId }) => civilId).join(','),
    ...operatorTokens(process.env),
    ...issuer.settings,
  });
  if (config.SVC_PROFILE !== 'development') {
    throw new Error('`up` runs the demo only. Run a service that others use with `./tamga serve`.');
  }
  try {
    if (config.SVC_DATABASE_URL === undefined) await expectReadable(config.SVC_DATA_DIR);
    await run(config, { issuer, passport, verbose });
  } catch (error) {
    throw explainForeign(error, config);
  }
}

async function run(
  config: Config,
  {
    issuer,
    passport,
    verbose,
  }: Pick<DemoParts, 'issuer' | 'passport'> & { readonly verbose: boolean },
): Promise<void> {
  const bank = await buildDemoBank();
  const service = createService(config, { mounts: [bank.mount] });
  await mkdir(config.SVC_DATA_DIR, { recursive: true, mode: 0o700 });
  const details = join(config.SVC_DATA_DIR, 'demo.log');
  const telling = verbose ? wholeReport : shortReport(details);
  telling.step('Starting PostgreSQL, certificate authorities and the API');
  await runUntilSignal(service, async (shutdown) => {
    const demo = await prepareDemo(service, config, { issuer, passport, telling });
    const phones = startScriptedPhones(demo.phones, undefined, { lookingMs: LOOKING_MS });
    shutdown.defer(() => phones.stop());
    shutdown.defer(() => say('• Stopping'));
    bank.open(service.origin, Object.fromEntries(variablesOf(demo.file)));
    await showAll(service, demo, {
      telling,
      passport,
      signedPath: join(config.SVC_DATA_DIR, 'lease-signed.pdf'),
    });
    telling.say(`  health     ${service.origin}/readyz`);
    telling.say(`  discovery  ${service.origin}/.well-known/eid`);
    telling.say(`  metrics    ${service.origin}/metrics`);
    telling.say(`  assistant  ${assistantHint(config, service.origin)}`);
    for (const line of loginToTry(demo.file.openIdConnect)) telling.say(line);
    if (!verbose) say(` (details in ${details})`);
    say(`Serving on ${service.origin}; Ctrl-C stops it`);
    say(`  console    ${service.consoleOrigin ?? 'not in SVC_ROLES'}`);
    say(`  Demo Bank  ${service.origin}${demoBankPath}`);
    say(`  phone      ${service.origin}/phone`);
    say(`  docs       ${service.origin}/docs; start with /docs/first-login.html`);
    say(`  clients    settings in ${join(config.SVC_DATA_DIR, 'demo.env')}`);
  });
}

/** Token secret of this run, unless configured: operators' access tokens end with the demo. */
function operatorTokens({
  SVC_ADMIN_TOKEN_SECRET: secret,
  SVC_ADMIN_TOKEN_SECRET_FILE: file,
}: NodeJS.ProcessEnv) {
  if ((secret ?? file ?? '') !== '') return {};
  return { SVC_ADMIN_TOKEN_SECRET: randomBytes(32).toString('base64url') };
}

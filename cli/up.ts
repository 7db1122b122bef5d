import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createService } from '../main.ts';
import { startScriptedPhones } from '../phone/scripted.ts';
import { demoCitizens } from './demo.ts';
import { assistantHint } from './demoAssistant.ts';
import { buildDemoBank, demoBankPath } from './demoBank.ts';
import { variablesOf } from './demoFile.ts';
import { type DemoOidcClient, exampleRequest } from './demoOidc.ts';
import { demoPassportOf } from './demoPassport.ts';
import { createDemoIssuer } from './demoPlatform.ts';
import { prepareDemo } from './demoPreparation.ts';
import { showAll } from './demoShows.ts';
import { demoConfig } from './openService.ts';
import { runUntilSignal } from './runUntilSignal.ts';
import { say } from './say.ts';

/**
 * Starts everything, prepares the demo, shows logins, signatures, a seal, a document and four eyes,
 * serves until a signal.
 */
export async function up(): Promise<void> {
  const issuer = createDemoIssuer(process.env);
  const passport = await demoPassportOf(demoConfig());
  const config = demoConfig({
    ...(passport && { SVC_KYC_PASSPORT_CSCA: passport.authority }),
    SVC_SOLE_PROCESS: 'true',
    SVC_ROLES: process.env['SVC_ROLES'] ?? 'api,projector,worker,console',
    SVC_LOG_LEVEL: process.env['SVC_LOG_LEVEL'] ?? 'warn',
    SVC_ADMIN_REQUIRE_4EYES: process.env['SVC_ADMIN_REQUIRE_4EYES'] ?? 'true',
    SVC_PUSH_TEST_CITIZENS: demoCitizens.map(({ civilId }) => civilId).join(','),
    ...operatorTokens(process.env),
    ...issuer.settings,
  });
  if (config.SVC_PROFILE !== 'development') {
    throw new Error('`up` is the demo; run a service configured for others with `./tamga serve`.');
  }
  const bank = await buildDemoBank();
  const service = createService(config, { mounts: [bank.mount] });
  step('Starting PostgreSQL, certificate authorities and the API');
  await runUntilSignal(service, async (shutdown) => {
    const demo = await prepareDemo(service, config, { issuer, passport, telling });
    const phones = startScriptedPhones(demo.phones);
    shutdown.defer(() => phones.stop());
    shutdown.defer(() => step('Stopping'));
    bank.open(service.origin, Object.fromEntries(variablesOf(demo.file)));
    await showAll(service, demo, {
      telling,
      passport,
      signedPath: join(config.SVC_DATA_DIR, 'lease-signed.pdf'),
    });
    say(`\nServing on ${service.origin} — everything a client needs is in ${demo.path}`);
    say(`  console    ${service.consoleOrigin ?? 'not in SVC_ROLES'}`);
    say(`  Demo Bank  ${service.origin}${demoBankPath}`);
    say(`  phone      ${service.origin}/phone`);
    say(`  health     ${service.origin}/readyz`);
    say(`  discovery  ${service.origin}/.well-known/eid`);
    say(`  metrics    ${service.origin}/metrics`);
    say(`  assistant  ${assistantHint(config, service.origin)}`);
    if (demo.file.openIdConnect !== null) printOidcSettings(demo.file.openIdConnect);
    say('  next       the tour in docs/tour.md; stop with Ctrl-C');
  });
}

/** Prints the settings of an OpenID Connect client, and a login to try in a browser. */
function printOidcSettings(client: DemoOidcClient): void {
  const { url, verifier } = exampleRequest(client);
  say(
    `  log in     as 110000000001, who confirms by itself; issuer ${client.issuer}, OpenID Connect; redirect to ${client.redirectUris.join(' or ')}`,
  );
  say(`             client_id ${client.clientId}`);
  say(`             client_secret ${client.clientSecret}`);
  say(`             for example ${url}`);
  say(
    '             Nobody listens there: the browser ends at an address with code=…, good for a minute:',
  );
  say(
    `             curl -u ${client.clientId}:${client.clientSecret} -d grant_type=authorization_code -d code=… ` +
      `-d code_verifier=${verifier} -d redirect_uri=${client.redirectUris[0] ?? ''} ${client.issuer}/oidc/token`,
  );
  say(`             what citizens agreed to: ${client.issuer}/login/consents`);
}

/** Token secret of this run, unless configured: operators' access tokens end with the demo. */
function operatorTokens({
  SVC_ADMIN_TOKEN_SECRET: secret,
  SVC_ADMIN_TOKEN_SECRET_FILE: file,
}: NodeJS.ProcessEnv) {
  if ((secret ?? file ?? '') !== '') return {};
  return { SVC_ADMIN_TOKEN_SECRET: randomBytes(32).toString('base64url') };
}

function step(text: string): void {
  say(`• ${text}`);
}

const telling = { step, say };

import { readFile } from 'node:fs/promises';
import { EidClient, sha256Base64 } from '../../client/index.ts';
import type { Service } from '../main.ts';
import { citizenWithLostPhones } from './demo.ts';
import { showDocument } from './demoDocument.ts';
import type { DemoFile } from './demoFile.ts';
import { showFourEyes } from './demoOperators.ts';
import { type DemoPassport, demoPassportHolder, showPassport } from './demoPassport.ts';
import type { DemoPerson, DemoRepresentation } from './demoPeople.ts';
import type { Demo } from './demoPreparation.ts';
import { orLeaveOut, type ProgressReport } from './demoProgress.ts';
import { verifySeal } from './verifySeal.ts';

interface Shown {
  readonly passport: DemoPassport | null;
  /** Path of the signed document. */
  readonly signedPath: string;
  readonly telling: ProgressReport;
}

/** Shows everything kept data allows, of people who were not forgotten. */
export async function showAll(
  service: Service,
  { file, operators }: Demo,
  { passport, signedPath: path, telling }: Shown,
): Promise<void> {
  function show(part: string, work: () => Promise<void>) {
    telling.show(part);
    return orLeaveOut(telling, part, work);
  }
  const client = await clientOf(file);
  const signers = file.citizens.filter(({ outcome }) => outcome === 'OK');
  const [citizen] = signers;
  const { organization, platform } = file;
  if (citizen !== undefined) {
    await show('login', () => showLogin(client, citizen, telling));
    await show('signature', () => showSignature(client, citizen, telling));
    await show('document signed by two', () => showDocument({ platform, signers, path, telling }));
  }
  if (organization !== null) {
    await show('signature for an organization', () =>
      showSignatureFor(client, organization, telling),
    );
    await show('seal', () => showSeal(client, { organization, trust: file.trust, telling }));
  }
  if (passport !== null && !(await service.isForgotten(demoPassportHolder.civilId))) {
    await show('identity verified by passport', () =>
      showPassport(service.origin, passport, telling),
    );
  }
  if (!(await service.isForgotten(citizenWithLostPhones.civilId))) {
    await show('revocation by two operators', () =>
      showFourEyes(service, client, { operators, telling }),
    );
  }
}

/** The relying parties' library with the demo's credentials. */
export async function clientOf({ rpApiBase, relyingParty, trust }: DemoFile): Promise<EidClient> {
  return new EidClient({
    baseUrl: rpApiBase,
    credentials: {
      rpUUID: relyingParty.uuid,
      rpName: relyingParty.name,
      apiSecret: relyingParty.apiSecret,
    },
    trust: {
      trustAnchorsPem: [await readFile(trust.anchorsPem, 'utf8')],
      intermediatesPem: [await readFile(trust.intermediatesPem, 'utf8')],
    },
  });
}

const digest = sha256Base64('I agree.');

/** Shows an authentication through the public API, verified. */
async function showLogin(
  client: EidClient,
  citizen: DemoPerson,
  { step, say }: ProgressReport,
): Promise<void> {
  step(`Authentication of ${citizen.name}`);
  const login = await client.auth.notificationByEtsi(citizen.etsi, 'Log in to the Tamga demo');
  say(
    `  session ${login.sessionId}, verification code ${login.vc.value}; the phone chooses it and confirms with PIN1`,
  );
  const loggedIn = await client.session.waitForResult(login.sessionId);
  const { subject, certificateLevel } = client.validator.validateAuth(loggedIn, login);
  say(
    `  ${loggedIn.endResult ?? loggedIn.state}, verified: ${subject.commonName}, ${certificateLevel}`,
  );
}

/** Shows a signature over a digest, verified. */
async function showSignature(
  client: EidClient,
  citizen: DemoPerson,
  { step, say }: ProgressReport,
): Promise<void> {
  step(`Signature by ${citizen.name}`);
  const request = await client.sign.digestByEtsi(citizen.etsi, digest, 'Sign: I agree.');
  say(
    `  session ${request.sessionId}, verification code ${request.vc.value}; the phone chooses it and confirms with PIN2`,
  );
  const signed = await client.session.waitForResult(request.sessionId);
  const { signatureAlgorithm } = client.validator.validateSign(signed, digest, {
    session: request,
  });
  say(`  ${signed.endResult ?? signed.state}, verified: ${signatureAlgorithm}`);
}

/** Shows a signature on behalf of an organization, verified. */
async function showSignatureFor(
  client: EidClient,
  organization: DemoRepresentation,
  { step, say }: ProgressReport,
): Promise<void> {
  step(`Signature on behalf of ${organization.name}`);
  const request = await client.sign.digestByEtsi(
    organization.admin,
    digest,
    'Sign for the organization: I agree.',
    { onBehalfOf: organization.etsi },
  );
  const signed = await client.session.waitForResult(request.sessionId);
  client.validator.validateSign(signed, digest, { session: request });
  const { onBehalfOf } = signed;
  say(
    `  ${signed.endResult ?? signed.state}, verified: ${onBehalfOf?.orgName ?? ''} (${onBehalfOf?.orgEtsi ?? ''}), as ${onBehalfOf?.rightType ?? ''}`,
  );
}

interface Sealing {
  readonly organization: DemoRepresentation;
  readonly trust: DemoFile['trust'];
  readonly telling: ProgressReport;
}

/** Shows a seal of an organization, verified; its certificate is issued where there is none in force. */
async function showSeal(
  client: EidClient,
  { organization, trust, telling: { step, say } }: Sealing,
): Promise<void> {
  step(`Seal of ${organization.name}`);
  await client.seal
    .certificate(organization.etsi)
    .catch(() => client.seal.issueCertificate(organization.etsi));
  const seal = await client.seal.digest(organization.etsi, digest);
  const anchors = await readFile(trust.anchorsPem, 'utf8');
  const intermediates = await readFile(trust.intermediatesPem, 'utf8');
  const [sealer = ''] = verifySeal('I agree.', seal, { anchors, intermediates })
    .split('\n')
    .reverse();
  say(`  verified: ${sealer}, ${seal.certificateLevel}, sealed at ${seal.sealedAt}`);
}

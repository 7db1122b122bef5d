import { readFileSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { type ScriptedPhones, startScriptedPhones } from '../../apps/phone/scripted.ts';
import { buildAcspV2Payload } from '../../client/index.ts';
import { demoCitizens, demoOrganization } from '../../main/cli/demo.ts';
import { isInstalled } from '../../main/cli/test.ts';
import { call } from '../../main/drill/callers.ts';
import { aParty } from '../support/given/wishes.ts';
import {
  demoEnvironment,
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { organizationsOf } from '../support/installation/organizations.ts';
import { knownAnswers } from '../support/pki/knownAnswers.ts';
import { runShown, type ShownBlock, shownBlocks } from '../support/programs/shownBlocks.ts';

const PAGE = 'docs/signed-bytes.md';
/** Section whose commands need a running service. */
const LIVE = 'Verify a login yourself';
const CONTRACT = 'client/examples/demo-bank/public/contract.pdf';
const VERIFIED = /^(?:Verified OK|Signature Verified Successfully)$/gmu;

const page = readFileSync(PAGE, 'utf8');
const scriptOf = (isShown: (block: ShownBlock) => boolean) =>
  shownBlocks(PAGE)
    .filter(isShown)
    .map(({ text }) => text)
    .join('\n');
const examples = scriptOf(({ heading }) => heading !== LIVE);
const live = scriptOf(({ heading }) => heading === LIVE);

/** Bytes that the first example gives a variable, in hexadecimal. */
function bytesOf(variable: string): Buffer {
  const [, hex = ''] = new RegExp(`^${variable}='([^']*)'`, 'mu').exec(examples) ?? [];
  return Buffer.from(hex.replaceAll(/\s/gu, ''), 'hex');
}

describe('The page on what each signature covers', function () {
  this.timeout(120_000);

  before(function () {
    for (const tool of ['bash', 'curl', 'openssl']) {
      if (isInstalled(tool)) continue;
      process.stdout.write(`${tool} is missing: the page is not run.\n`);
      this.skip();
    }
  });

  describe('in its examples', () => {
    it('is accepted by OpenSSL, which prints the hashes that are shown', async () => {
      const { code, output } = await runShown(examples, '.', {});
      expect(code, output).to.equal(0);
      expect(output.match(VERIFIED)).to.have.length(4);
      const hashes = Array.from(output.matchAll(/= ([0-9a-f]+)$/gmu), ([, hash = '']) => hash);
      expect(hashes).to.have.length(2);
      const shown = page.replaceAll(/[`\s]/gu, '');
      for (const hash of hashes) expect(shown).to.include(hash);
    });

    it('is refused by OpenSSL when a bit is another', async () => {
      const changed = examples.replace("CHALLENGE='1", "CHALLENGE='0");
      expect(changed).not.to.equal(examples);
      const { code, output } = await runShown(changed, '.', {});
      expect(code, output).not.to.equal(0);
      expect(output).to.include('Verification failure');
    });

    it('shows the bytes that the library makes of the published vectors', () => {
      const [flat] = knownAnswers.flatAuthenticationPayload;
      const challenge = flat?.rpChallenge ?? '';
      expect(bytesOf('CHALLENGE').toString('base64')).to.equal(challenge);
      const [, payload = ''] = /<!-- example: payload -->\s*```text\n([^`]*)/u.exec(page) ?? [];
      expect(payload.replaceAll(/\s/gu, '')).to.equal(
        buildAcspV2Payload(challenge, bytesOf('SPKI')).toString('hex'),
      );
      const texts = Array.from(
        examples.matchAll(/^ *(?:printf '%s' )?'([^'\n]*)'(?: \\| > "\$EXAMPLE\/payload")$/gmu),
        ([, text]) => text,
      );
      const [nested] = knownAnswers.nestedAuthenticationPayload;
      expect(texts.join('')).to.equal(nested?.payload);
    });
  });

  describe('against a running service', () => {
    let demo: DemoInstallation | undefined;
    let phones: ScriptedPhones | undefined;
    let environment: Readonly<Record<string, string>>;

    before(async () => {
      demo = await startDemoInstallation();
      const { service, directory } = demo;
      const orgEtsi = `NTRMN-${demoOrganization.register}`;
      const organizations = organizationsOf(demo.databaseUrl);
      await organizations.start();
      await organizations.register(demoOrganization.register);
      await organizations.stop();
      const party = await service.registerRelyingParty(
        aParty('Signed Bytes', ['AUTH', 'SIGN', 'SEAL']),
      );
      const order = async (path: string, body: object) => {
        const answer = await call(`${service.origin}/v3/admin${path}`, { method: 'POST', body });
        expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
      };
      const list = `/relying-parties/${party.relyingPartyId}/seal-organizations`;
      await order(list, { orgEtsi });
      await order(`/organizations/${orgEtsi}/seal-certificate`, {});
      environment = {
        ...(await demoEnvironment(demo)),
        RP_UUID: party.relyingPartyId,
        RP_NAME: 'Signed Bytes',
        RP_SECRET: party.apiSecret,
      };
      await mkdir(dirname(join(directory, CONTRACT)), { recursive: true });
      await cp(CONTRACT, join(directory, CONTRACT));
      await mkdir(join(directory, '.tamga'), { recursive: true });
    });

    after(async () => {
      await phones?.stop();
      await demo?.stop();
    });

    for (const { civilId, keyType } of demoCitizens.slice(0, 2)) {
      it(`has OpenSSL verify logins, a signature and a seal of a citizen with ${keyType} keys`, async () => {
        if (demo === undefined) throw new Error('Nothing runs.');
        phones = startScriptedPhones([await demo.enrol(civilId)]);
        const settings = { ...environment, CITIZEN_OK: `PNOMN-${civilId}` };
        await writeFile(
          join(demo.directory, '.tamga', 'demo.env'),
          Object.entries(settings)
            .map(([name, value]) => `${name}='${value}'\n`)
            .join(''),
        );
        const { code, output } = await runShown(live, demo.directory, {});
        await phones.stop();
        expect(code, output).to.equal(0);
        expect(output.match(VERIFIED)).to.have.length(4);
        expect(output.match(/certificate\.pem: OK/gu)).to.have.length(4);
        expect(output).to.include('certificate.pem: good').and.include(`PNOMN-${civilId}`);
      });
    }
  });
});

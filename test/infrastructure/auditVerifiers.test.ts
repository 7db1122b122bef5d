import { spawn } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath as nodePath } from 'node:process';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { buildVerifiers } from '../../apps/site/build.ts';
import { eventLeafHash } from '../../domain/merkle/hashTree.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import { pem } from '../../domain/shared/pem.ts';
import { parseEventLine } from '../../infrastructure/export/eventLines.ts';
import { keysBeside, proofsBeside } from '../../infrastructure/export/exportFile.ts';
import { launchChromium, leaveChromium } from '../support/browser/chromium.ts';
import { expectLook } from '../support/browser/pageLooks.ts';
import { linesIn, startExportableLog } from '../support/events/exportableLog.ts';

const EVENTS = 30;

describe('An exported log, verified by somebody who has no checkout', function () {
  this.timeout(60_000);
  let path: string;
  let own: string;
  let altered: string;
  let root: string;

  before(async () => {
    const exportable = await startExportableLog();
    await exportable.append(EVENTS);
    await exportable.export();
    own = await mkdtemp(join(tmpdir(), 'tamga-auditor-'));
    path = join(own, 'log.jsonl');
    for (const beside of ['', '.proofs', '.keys.pem'])
      await copyFile(exportable.path + beside, path + beside);
    await buildVerifiers(own);
    root = join(own, 'root.pem');
    await writeFile(root, pem('CERTIFICATE', exportable.world.pki.authority.certificates.root));
    altered = join(own, 'altered.jsonl');
    const lines = linesIn(await readFile(path, 'utf8'));
    const changed = lines.with(12, (lines[12] ?? '').replace('"type":"', '"type":"Not'));
    expect(changed[12]).to.not.equal(lines[12]);
    await writeFile(
      altered,
      changed.map((line) => `${line}\n`),
    );
    await copyFile(proofsBeside(path), proofsBeside(altered));
    await copyFile(keysBeside(path), keysBeside(altered));
    await exportable.stop();
  });

  after(() => rm(own, { recursive: true }));

  it('one file for Node.js, alone in a folder, accepts it and names an altered line', async () => {
    const verify = async (file: string) => {
      const child = spawn(nodePath, ['tamga-verify.mjs', file, '--root', root], { cwd: own });
      const [said, faults, code] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        new Promise((resolve) => child.once('close', resolve)),
      ]);
      return { code, said: said + faults };
    };
    const whole = await verify(path);
    expect(whole.said).to.match(new RegExp(`^Verified: ${EVENTS} events`));
    expect(whole.code).to.equal(0);
    const bad = await verify(altered);
    expect(bad.said).to.include('First bad event: line 13 ');
    expect(bad.code).to.equal(1);
    expect((await verify('missing.jsonl')).code).to.equal(2);
  });

  it('a page opened from disk does, too, in both languages, and asks nobody', async function () {
    const browser = (await launchChromium()) ?? this.skip();
    try {
      const context = await browser.newContext({ reducedMotion: 'reduce' });
      const page = await context.newPage();
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(String(error)));
      page.on('request', (request) => {
        if (!request.url().startsWith('file:')) faults.push(request.url());
      });
      await page.goto(pathToFileURL(join(own, 'verify-export.html')).href);
      const choose = async (file: string) => {
        await page.setInputFiles('[name=log]', file);
        await page.setInputFiles('[name=proofs]', proofsBeside(file));
        await page.setInputFiles('[name=keys]', keysBeside(file));
        await page.setInputFiles('[name=root]', root);
        await page.click('[type=submit]');
      };
      await choose(path);
      await page.getByText(`Verified: ${EVENTS} events`).waitFor();
      await expectLook(page, 'verified', { width: 360, axe: true });
      await page.click('[data-language=mn]');
      await page.getByText(`Үйл явдлын тоо: ${EVENTS}.`).waitFor();
      await choose(altered);
      await page.getByText('анхны мөр: 13.').waitFor();
      await expectLook(page, 'not verified', { width: 1280, axe: true });
      expect(faults).to.deep.equal([]);
      await context.close();
    } finally {
      await leaveChromium(browser);
    }
  });

  it('is described: the leaf in docs/export-format.md is that of the event there', async () => {
    const page = await readFile('docs/export-format.md', 'utf8');
    const [line = ''] = /^\{"position".*$/m.exec(page) ?? [];
    const leaf = eventLeafHash(parseEventLine(line)).toString('hex');
    expect(page).to.match(new RegExp(`^${leaf}$`, 'm'));
    const [bytes = ''] = /^00 02 [0-9a-f\s]+$/m.exec(page) ?? [];
    expect(sha256Hex(Buffer.from(bytes.replaceAll(/\s/g, ''), 'hex'))).to.equal(leaf);
  });
});

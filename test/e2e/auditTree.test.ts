import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { isInstalled } from '../../main/cli/test.ts';
import { verifyConsistency, verifyInclusion } from '../../domain/merkle/hashTree.ts';
import { pem } from '../../domain/shared/pem.ts';
import { parseHead } from '../../infrastructure/export/proofLines.ts';
import {
  maintaining,
  prepareInstallation,
  startServiceHere,
} from '../support/installation/installation.ts';
import type { Service } from '../../main/main.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import type { Settings } from '../support/installation/serviceProcess.ts';
import { run } from '../support/programs/tools.ts';
import { tamgaProgram } from '../support/programs/tamgaProgram.ts';
import { anOrganization } from '../support/given/wishes.ts';

const verifier = 'test/support/programs/python/verifyAuditExport.py';

interface InclusionAnswer {
  readonly leafIndex: number;
  readonly treeSize: number;
  readonly leafHash: string;
  readonly rootHash: string;
  readonly path: readonly string[];
}

describe('The audit of a whole installation', function () {
  this.timeout(120_000);
  let settings: Settings;
  let service: Service;
  let directory: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-audit-'));
    settings = { SVC_DATABASE_URL: await migratedDatabase() };
    await prepareInstallation(settings);
    service = await startServiceHere(settings);
  });

  after(async () => {
    await service.stop();
    await rm(directory, { recursive: true });
  });

  async function ask<Answer>(path: string, method = 'GET'): Promise<Answer> {
    const response = await fetch(`${service.origin}/v3/admin/audit/${path}`, { method });
    expect(response.status, path).to.equal(200);
    return (await response.json()) as Answer;
  }

  const bytes = (text: string) => Buffer.from(text, 'base64');

  it('proves over HTTP what a signed head covers, and that the next head continues it', async () => {
    const first = parseHead(JSON.stringify(await ask('tree-head', 'POST')));
    expect(first.size).to.be.greaterThan(5);
    const proof = await ask<InclusionAnswer>('proof/inclusion?index=3');
    const claim = { leaf: bytes(proof.leafHash), index: 3, size: proof.treeSize };
    const root = bytes(proof.rootHash);
    expect(verifyInclusion({ ...claim, root }, proof.path.map(bytes))).to.equal(true);
    if (proof.treeSize === first.size) expect(root.equals(first.root)).to.equal(true);

    await maintaining(settings, async (maintained) => {
      await maintained.organizations.register(anOrganization('7654321', 'Тест ХХК'));
    });
    const second = parseHead(JSON.stringify(await ask('tree-head', 'POST')));
    expect(second.size).to.be.greaterThan(first.size);
    const { path } = await ask<{ path: readonly string[] }>(
      `proof/consistency?first=${first.size}&second=${second.size}`,
    );
    expect(verifyConsistency(first, second, path.map(bytes))).to.equal(true);
    const newest = parseHead(JSON.stringify(await ask('tree-head')));
    expect(newest.size).to.be.at.least(second.size);
  });

  it('refuses questions that make no sense, each with its code', async () => {
    for (const [path, status, code] of [
      ['proof/inclusion', 400, 'INVALID_REQUEST'],
      [
        'proof/inclusion?index=1&eventId=6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
        400,
        'INVALID_REQUEST',
      ],
      ['proof/inclusion?index=1e3', 404, 'AUDIT_EVENT_NOT_FOUND'],
      ['proof/inclusion?index=-1', 400, 'INVALID_REQUEST'],
      [
        'proof/inclusion?eventId=6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
        404,
        'AUDIT_EVENT_NOT_FOUND',
      ],
      ['proof/inclusion?index=0&treeSize=9007199254740991', 400, 'INVALID_REQUEST'],
      ['proof/consistency?first=0', 400, 'INVALID_REQUEST'],
      ['proof/consistency?first=2&second=1', 400, 'INVALID_REQUEST'],
    ] as const) {
      const response = await fetch(`${service.origin}/v3/admin/audit/${path}`);
      const body = (await response.json()) as { readonly code: string };
      expect([response.status, body.code], path).to.deep.equal([status, code]);
    }
  });

  it('is exported beside the running service and verified by a process that sees the files alone', async function () {
    const file = join(directory, 'log.jsonl');
    const key = join(directory, 'trusted.pem');
    const head = join(directory, 'head.json');
    await writeFile(key, await (await fetch(`${service.origin}/audit/keys.pem`)).text());
    await writeFile(head, JSON.stringify(await ask('tree-head', 'POST')));
    const { exportLog } = await import('../../main/cli/exportLog.ts');
    const events = await maintaining(settings, (maintained) => exportLog(maintained, file));

    const verify = () =>
      run(process.execPath, tamgaProgram(), 'audit', 'verify', file, '--key', key, '--head', head);
    const { code, output } = await verify();
    expect(output).to.match(new RegExp(`^Verified: ${events} events are exactly those`));
    expect(code).to.equal(0);

    // R1: the Root CA alone is enough, with the keys and certificates beside the export.
    const root = join(directory, 'root.pem');
    const der = await (await fetch(`${service.origin}/ca/root.cer`)).arrayBuffer();
    await writeFile(root, pem('CERTIFICATE', Buffer.from(der)));
    const pinned = await run(
      process.execPath,
      tamgaProgram(),
      'audit',
      'verify',
      file,
      '--root',
      root,
    );
    expect(pinned.output).to.match(new RegExp(`^Verified: ${events} events [^]* agrees?\\.\n$`));

    const python = () => run('python3', verifier, file, key);
    const hasPython = isInstalled('python3') && isInstalled('openssl');
    if (hasPython) expect(await python()).to.deep.equal({ code: 0, output: 'verified\n' });
    else console.log('      python3 or openssl is missing: verified by our own program only');

    const text = await readFile(file, 'utf8');
    await writeFile(
      file,
      text.replace('"type":"CertificateRequested"', '"type":"CertificateRevoked"'),
    );
    const forged = await verify();
    expect(forged.code).to.equal(1);
    expect(forged.output).to.match(
      /NOT VERIFIED\. First bad event: line \d+ \(position \d+, id .{36}\) was altered/,
    );
    if (hasPython) expect((await python()).code).to.equal(1);
  });
});

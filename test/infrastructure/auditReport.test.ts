import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { execPath as nodePath } from 'node:process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { DomainEvent } from '../../domain/shared/decider.ts';
import { pem } from '../../domain/shared/pem.ts';
import { createEventLog } from '../../infrastructure/eventstore/eventLog.ts';
import { headLine } from '../../infrastructure/export/proofLines.ts';
import { type TextLine, textDocument } from '../../infrastructure/pdf/textDocument.ts';
import { type ReportLanguage, reportOn } from '../../main/cli/auditReport.ts';
import { historyOf } from '../../main/cli/auditShow.ts';
import { isInstalled } from '../../main/cli/test.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { testVault } from '../support/doubles/vault.ts';
import {
  bat,
  citizenEnrolled,
  recordable,
  sessionExpired,
  sessionStarted,
} from '../support/events/exampleEvents.ts';
import { type ExportableLog, startExportableLog } from '../support/events/exportableLog.ts';
import { tamgaProgram } from '../support/programs/tamgaProgram.ts';

const civilId = '140000000009';
const another = '140000000017';
const sessionId = randomUUID();
const [monday, tuesday] = ['2026-06-01T08:00:00.000Z', '2026-06-02T08:00:00.000Z'];

const readOf = (whom: string): DomainEvent => ({
  type: 'OperatorRead',
  data: {
    operation: 'admin.users.read',
    capability: 'user:read',
    subject: `PNOMN-${whom}`,
    readAt: tuesday,
  },
});

const serial = '0123456789abcdef';

const refused: DomainEvent = {
  type: 'CommandDenied',
  data: {
    operation: 'admin.certificates.revoke',
    code: 'CERTIFICATE_NOT_FOUND',
    capability: 'cert:revoke',
    subject: serial,
    count: 1,
    since: tuesday,
    deniedAt: tuesday,
  },
};

describe('What an auditor makes of an export, offline', function () {
  this.timeout(60_000);
  let exportable: ExportableLog;
  let root: string;
  let head: string;

  before(async () => {
    exportable = await startExportableLog();
    const { log, path, directory, process, world } = exportable;
    const events = createEventLog({ store: log, vault: testVault() });
    const person = recordable(citizenEnrolled(civilId, bat), monday);
    await events.append(`citizen-${civilId}`, [person], 'none');
    head = join(directory, 'noted.json');
    await writeFile(head, headLine(await process.trees.signNow()));
    await events.append(
      `session-${sessionId}`,
      [
        recordable(sessionStarted(sessionId, { civilId }), tuesday),
        recordable(sessionExpired(), tuesday),
      ],
      'none',
    );
    // A stream of many, of which one event alone is of this person.
    await events.append(
      'access-2026-06-02',
      [readOf(civilId), readOf(another), refused].map((each) => recordable(each, tuesday)),
      'none',
    );
    await exportable.export();
    root = join(directory, 'root.pem');
    await writeFile(root, pem('CERTIFICATE', world.pki.authority.certificates.root));
    await writeFile(
      `${path}.altered`,
      (await readFile(path, 'utf8')).replace('SessionExpired', 'SessionRefused'),
    );
  });

  after(() => exportable.stop());

  async function told(id: string, language: ReportLanguage = 'en'): Promise<readonly string[]> {
    const sentences: string[] = [];
    for await (const each of historyOf(exportable.path, id, { language })) sentences.push(each);
    return sentences;
  }

  const printed = async (lines: readonly TextLine[]) => {
    const pdf = join(exportable.directory, 'report.pdf');
    await writeFile(pdf, textDocument(lines));
    return (await promisify(execFile)('pdftotext', ['-layout', pdf, '-'])).stdout;
  };

  it('is told of a session in sentences, in order, in both languages', async () => {
    const [started, expired, ...more] = await told(sessionId);
    expect(started).to.match(/^2026-06-02T08:00:00\.000Z {2}Session started; .*Kind: Signature;/u);
    expect(expired).to.include('Session ran out of time').and.to.include(sessionId);
    expect(more).to.deep.equal([]);
    const mongolian = (await told(sessionId, 'mn')).join('\n');
    expect(mongolian)
      .to.include('Сесс эхэлсэн')
      .and.to.include('Төрөл: Гарын үсэг')
      .and.to.include('Сессийн хугацаа дууссан');
  });

  it('is told why a command was refused in words, with the code to search for', async () => {
    expect((await told(serial)).join('\n')).to.include(
      'Certificate not found (CERTIFICATE_NOT_FOUND)',
    );
    const mongolian = (await told(serial, 'mn')).join('\n');
    expect(mongolian).to.include('Гэрчилгээ олдсонгүй (CERTIFICATE_NOT_FOUND)');
  });

  for (const id of [civilId, `PNOMN-${civilId}`]) {
    it(`is told of ${id} what names them, and what their sessions came to`, async () => {
      const sentences = await told(id);
      const all = sentences.join('\n');
      expect(all).to.include('Citizen enrolled').and.to.include('Session ran out of time');
      expect(all).to.include('Read by an operator');
      expect(sentences).to.have.lengthOf(4);
      expect(all).to.not.include(bat.givenName).and.not.to.include(another);
    });
  }

  it('gets a report: period, counts, heads, keys and where they were compared', async function () {
    const period = { from: '2026-06-02', to: '2026-06-03' };
    const options = { root, head: [head], ...period, language: 'en' } as const;
    const lines = await reportOn(exportable.path, options);
    const text = lines.map((line) => line.text).join('\n');
    for (const each of [
      'Events: 6',
      `First: ${monday}`,
      `Last: ${tuesday}`,
      'head of 6 events',
      'noted.json: head of 1 events',
      'certified by the Root CA given',
      'From 2026-06-02T00:00:00.000Z up to 2026-06-03T00:00:00.000Z: 5',
      'Session started (SESSION_START): 1',
      'The platform itself: 5',
    ]) {
      expect(text).to.include(each);
    }
    expect(text).to.not.include('CITIZEN_ENROL');
    if (!isInstalled('pdftotext')) this.skip();
    expect(await printed(lines))
      .to.include('Session started (SESSION_START): 1')
      .and.to.match(/1 ?\/ ?[12]/u);
  });

  it('gets the report in Mongolian, set in its letters, on as many pages as it needs', async function () {
    if (!isInstalled('pdftotext')) this.skip();
    const lines = await reportOn(exportable.path, { root, language: 'mn' });
    const text = await printed([...lines, ...lines, ...lines]);
    expect(text).to.include('Сесс эхэлсэн (SESSION_START): 1').and.to.not.include('?');
    expect(text).to.match(/2 ?\/ ?[2-4]/u);
  });

  it('gets nothing for a period that is none', async () => {
    const options = { root, from: 'yesterday', language: 'en' } as const;
    const error = await rejection(reportOn(exportable.path, options));
    expect(String(error)).to.include('--from must be a date or time, such as 2026-01-31');
  });

  for (const words of [['report'], ['show', sessionId]]) {
    it(`gets no ${words[0] ?? ''} of an export that is not verified`, async () => {
      const { path } = exportable;
      const [command = '', ...id] = words;
      const ran = promisify(execFile)(nodePath, [
        ...[tamgaProgram(), 'audit', command, `${path}.altered`, ...id, '--root', root],
        ...['--proofs', `${path}.proofs`, '--key', `${path}.keys.pem`],
      ]);
      const { code, stdout, stderr } = await ran.then(
        () => ({ code: 0, stdout: '', stderr: '' }),
        (error: unknown) => error as { code: number; stdout: string; stderr: string },
      );
      expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
      expect(stderr).to.include('First bad event: line 3 ');
    });
  }
});

import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { pemBlocks } from '../../apps/verifier/certificate.ts';
import { verifyExport } from '../../apps/verifier/exportVerifier.ts';
import type { ExportVerdict } from '../../application/audit/verifyExport.ts';
import { describeExportFault, type ExportFault } from '../../application/audit/exportFaults.ts';
import { encodeTreeHead, type SignedTreeHead } from '../../domain/merkle/treeHead.ts';
import { pem } from '../../domain/shared/pem.ts';
import { sha256, sha256Hex } from '../../domain/shared/digest.ts';
import { verifyExportFile, type VerifyExportOptions } from '../../main/cli/verifyExport.ts';
import { keysBeside, proofsBeside } from '../../infrastructure/export/exportFile.ts';
import { createEventLog } from '../../infrastructure/eventstore/eventLog.ts';
import { headLine, parseHead } from '../../infrastructure/export/proofLines.ts';
import { bat, citizenEnrolled, recordable } from '../support/events/exampleEvents.ts';
import { startTestAuthority } from '../support/doubles/memoryPki.ts';
import { serviceOrder } from '../support/pki/pkiFixtures.ts';
import {
  type ExportableLog,
  linesIn,
  startExportableLog,
} from '../support/events/exportableLog.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { testVault } from '../support/doubles/vault.ts';

const EVENTS = 530;

describe('An exported log, verified offline', function () {
  this.timeout(60_000);
  let exportable: ExportableLog;
  let directory: string;
  let world: ExportableLog['world'];
  let path: string;
  let lines: readonly string[];
  let proofs: readonly string[];

  before(async () => {
    exportable = await startExportableLog();
    ({ directory, world, path } = exportable);
    await exportable.append(EVENTS);
    await exportable.export();
    lines = linesIn(await readFile(path, 'utf8'));
    proofs = linesIn(await readFile(proofsBeside(path), 'utf8'));
  });

  after(() => exportable.stop());

  interface Forged {
    readonly lines?: readonly (string | Buffer)[];
    readonly proofs?: readonly string[];
    readonly key?: Buffer;
    readonly head?: SignedTreeHead;
  }

  /** Writes what an attacker made of the export, and verifies it. */
  async function verdictOf(forged: Forged) {
    const file = join(directory, `${randomUUID()}.jsonl`);
    const whole = (forged.lines ?? lines).flatMap((line) => [Buffer.from(line), Buffer.from('\n')]);
    await writeFile(file, Buffer.concat(whole));
    await writeFile(
      proofsBeside(file),
      (forged.proofs ?? proofs).map((line) => `${line}\n`),
    );
    const key = forged.key === undefined ? keysBeside(path) : `${file}.pem`;
    if (forged.key !== undefined) await writeFile(key, pem('PUBLIC KEY', forged.key));
    const head = `${file}.head`;
    if (forged.head !== undefined) await writeFile(head, headLine(forged.head));
    return agreedVerdict(file, { key, ...(forged.head && { head: [head] }) });
  }

  /** The verdict, which the verifier written from docs/export-format.md must give, too. */
  async function agreedVerdict(file: string, options: VerifyExportOptions): Promise<ExportVerdict> {
    const verdict = await verifyExportFile(file, options);
    const { root, key = keysBeside(file), head = [] } = options;
    const second = await verifyExport({
      log: openFile(file),
      proofs: openFile(proofsBeside(file)),
      keys: await readFile(key, 'utf8'),
      root:
        root === undefined
          ? null
          : (pemBlocks(await readFile(root, 'utf8'), 'CERTIFICATE')[0] ?? null),
      heads: await Promise.all(head.map((each) => readFile(each, 'utf8'))),
    });
    expect(second).to.deep.equal(inOtherWords(verdict));
    return verdict;
  }

  const openFile = (file: string) => () => createReadStream(file);

  function inOtherWords(verdict: ExportVerdict) {
    if (verdict.ok) {
      const { head, heads } = verdict;
      return { ok: true, events: head.size, signedAt: head.timestamp.toISOString(), heads };
    }
    const { fault } = verdict;
    if (fault.kind === 'noKey') return { ok: false, fault: 'noKey' };
    if ('at' in fault) return { ok: false, fault: 'line', line: fault.at.line };
    if (fault.kind === 'noHead') return { ok: false, fault: 'noHead' };
    const kind =
      fault.kind === 'wrongKey' || fault.kind === 'uncertifiedKey' ? 'untrustedKey' : fault.kind;
    return { ok: false, fault: kind, treeSize: fault.treeSize };
  }

  async function faultOf(forged: Forged): Promise<ExportFault> {
    const verdict = await verdictOf(forged);
    if (verdict.ok) throw new Error('The export was believed.');
    return verdict.fault;
  }

  async function sentenceOf(forged: Forged): Promise<string> {
    return describeExportFault(await faultOf(forged));
  }

  /** "line 7 (position 7, id …)" of the event that was exported there. */
  function name(line: number, of = line): string {
    const event = JSON.parse(lines[of - 1] ?? '') as { position: string; id: string };
    return `line ${line} (position ${event.position}, id ${event.id})`;
  }

  const altered = (line = '') => line.replace('"name\\":\\"Бат', '"name\\":\\"Дор');

  it('is believed when nothing was done to it, and agrees with every head', async () => {
    const verdict = await verdictOf({});
    if (!verdict.ok) throw new Error(describeExportFault(verdict.fault));
    expect(verdict.head.size).to.equal(EVENTS);
    expect(verdict.heads).to.be.at.least(2);
  });

  it('of an empty log is believed', async () => {
    const empty = await startExportableLog();
    const file = empty.path;
    await empty.export();
    expect(await verifyExportFile(file, { key: keysBeside(file) })).to.have.property('ok', true);
    await writeFile(file, `${lines[0] ?? ''}\n`);
    const verdict = await verifyExportFile(file, { key: keysBeside(file) });
    expect(verdict.ok ? null : verdict.fault.kind).to.equal('unsigned');
    await empty.stop();
  });

  it('names an altered event', async () => {
    const at = 300;
    expect(await sentenceOf({ lines: lines.with(at - 1, altered(lines[at - 1])) })).to.equal(
      `First bad event: ${name(at)} was altered: it is not event 300 as it was signed.`,
    );
  });

  it('names the first of two altered events, whichever heads came between', async () => {
    const forged = lines.with(100, altered(lines[100])).with(400, altered(lines[400]));
    expect(await faultOf({ lines: forged })).to.include({ kind: 'altered', index: 100 });
  });

  it('names a line that is no longer readable', async () => {
    const cut = lines.with(9, (lines[9] ?? '').slice(0, -5));
    expect(await sentenceOf({ lines: cut })).to.equal(
      'First bad event: line 10 is damaged: the line is not in the form in which an export writes it.',
    );
    const bytes = Buffer.from(lines[9] ?? '');
    bytes[30] = 0xff;
    const broken: readonly (string | Buffer)[] = [...lines.slice(0, 9), bytes, ...lines.slice(10)];
    expect(await faultOf({ lines: broken })).to.include({ kind: 'damaged', index: 9 });
    const spaced = lines.with(9, (lines[9] ?? '').replace('":"', '": "'));
    expect(await faultOf({ lines: spaced })).to.include({ kind: 'damaged', index: 9 });
  });

  it('names where events were removed', async () => {
    expect(await sentenceOf({ lines: lines.toSpliced(41, 1) })).to.equal(
      `First bad event: ${name(42, 43)} follows where event 42 was removed.`,
    );
    expect(await sentenceOf({ lines: lines.toSpliced(0, 3) })).to.equal(
      `First bad event: ${name(1, 4)} follows where events 1 to 3 were removed.`,
    );
  });

  it('names an inserted event, made up or repeated', async () => {
    const madeUp = altered(lines[41]);
    expect(await sentenceOf({ lines: lines.toSpliced(41, 0, madeUp) })).to.equal(
      `First bad event: ${name(42)} was inserted: no such event was signed, and event 42 follows it.`,
    );
    expect(await sentenceOf({ lines: lines.toSpliced(41, 0, lines[7] ?? '') })).to.equal(
      `First bad event: ${name(42, 8)} was inserted: it repeats event 8.`,
    );
    expect(await sentenceOf({ lines: [...lines, madeUp] })).to.equal(
      `First bad event: ${name(EVENTS + 1, 42)} was appended: the signed log ends before it.`,
    );
  });

  it('names swapped and reordered events', async () => {
    const swapped = lines.with(3, lines[300] ?? '').with(300, lines[3] ?? '');
    expect(await sentenceOf({ lines: swapped })).to.equal(
      `First bad event: ${name(4, 301)} was swapped with ${name(301, 4)}.`,
    );
    const rotated = [
      ...lines.slice(0, 3),
      ...lines.slice(4, 10),
      lines[3] ?? '',
      ...lines.slice(10),
    ];
    expect(await sentenceOf({ lines: rotated })).to.equal(
      `First bad event: ${name(4, 5)} is out of order: the event that belongs here is at ${name(10, 4)}.`,
    );
  });

  it('names a line whose position does not follow that of the line before', async () => {
    const positionOf = (line = '') => /"position":"(\d+)"/.exec(line)?.[1] ?? '';
    const moved = (at: number, position: string) =>
      lines.with(at, (lines[at] ?? '').replace(/(?<="position":")\d+/, position));
    const id = name(31).replace(/^.*, /, '');
    expect(await sentenceOf({ lines: moved(29, '9999') })).to.equal(
      `First bad event: line 31 (position ${positionOf(lines[30])}, ${id} is out of order by its position, which follows 9999.`,
    );
    expect(await faultOf({ lines: moved(29, positionOf(lines[28])) })).to.deep.include({
      kind: 'disordered',
      previous: BigInt(positionOf(lines[28])),
    });
    // More than 63 bits, or written in another way.
    for (const position of ['9999999999999999999', `0${positionOf(lines.at(-1))}`])
      expect(await faultOf({ lines: moved(EVENTS - 1, position) })).to.include({ kind: 'damaged' });
  });

  it('says where the end is missing', async () => {
    expect(await sentenceOf({ lines: lines.slice(0, 500) })).to.equal(
      'The end is missing: the signed log has 530 events, but the export ends before event 501.',
    );
  });

  it('finds out by a head from elsewhere that an older export was handed over with its older head', async () => {
    const heads = proofs.filter((line) => line.includes('treeSize')).map(parseHead);
    const [older, newest] = [heads.at(0), heads.at(-1)];
    if (older === undefined || newest === undefined) throw new Error('no heads');
    const forged = {
      lines: lines.slice(0, older.size),
      proofs: [proofs[0] ?? '', headLine(older)],
    };
    expect(await verdictOf(forged)).to.have.property('ok', true);
    expect(await faultOf({ ...forged, head: newest })).to.deep.equal({
      kind: 'truncated',
      index: older.size,
      treeSize: EVENTS,
    });
  });

  it('says that a head was altered, or signed with another key than those given', async () => {
    const at = proofs.findIndex((line) => line.includes(`"treeSize":${EVENTS}`));
    const line = proofs[at] ?? '';
    const later = line.replace(/"timestamp":"\d{4}/, '"timestamp":"2031');
    expect(await sentenceOf({ proofs: proofs.with(at, later) })).to.equal(
      'The signature of the tree head of 530 events is wrong: the head was altered or never signed.',
    );

    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const der = publicKey.export({ type: 'spki', format: 'der' });
    expect(await sentenceOf({ key: der })).to.match(
      /^The tree head of \d+ events was signed with another key \([0-9a-f]{64}\) than those given\.$/,
    );
    const head = parseHead(line);
    const own = { ...head, signature: sign('sha256', encodeTreeHead(head), privateKey) };
    expect(await faultOf({ proofs: proofs.with(at, headLine(own)) })).to.include({
      kind: 'badSignature',
    });
    const named = headLine({ ...own, keyId: sha256Hex(der) });
    expect(await faultOf({ proofs: proofs.with(at, named) })).to.include({ kind: 'wrongKey' });
    expect((await faultOf({ proofs: [] })).kind).to.equal('noHead');
  });

  it('gives a verdict on whatever stands where a signature, a head, a proof or a key should', async () => {
    const at = proofs.findIndex((line) => line.includes(`"treeSize":${EVENTS}`));
    const head = parseHead(proofs[at] ?? '');
    const kindOf = async (forged: Forged) => (await faultOf(forged)).kind;
    const { signature } = head;
    // No DER; longer than it says; an integer with a needless zero, and one too long for the curve.
    for (const bad of [
      Buffer.from('no DER'),
      Buffer.alloc(0),
      signature.subarray(0, -1),
      Buffer.concat([signature, Buffer.alloc(1)]),
      padded(signature, 1),
      padded(signature, 40),
    ]) {
      const forged = proofs.with(at, headLine({ ...head, signature: bad }));
      expect(await kindOf({ proofs: forged }), bad.toString('hex')).to.equal('badSignature');
    }
    const fields = JSON.parse(headLine(head)) as Readonly<Record<string, unknown>>;
    for (const change of [
      { signature: '!' },
      { rootHash: 'AAAA' },
      { timestamp: '2026-02-30T00:00:00.000Z' },
      { timestamp: 'soon' },
      { treeSize: -1 },
      { extensions: [] },
      { keyId: 1 },
    ]) {
      const only = [JSON.stringify({ ...fields, ...change })];
      expect(await kindOf({ proofs: only }), JSON.stringify(change)).to.equal('noHead');
    }
    const forged = lines.with(300, altered(lines[300]));
    for (const block of ['{}', '{"first":256,"own":[["!"]],"shared":[]}', '[]', '7']) {
      const damaged = proofs.map((line) => (line.startsWith('{"first":256,') ? block : line));
      expect(await kindOf({ lines: forged, proofs: damaged }), block).to.equal('unproven');
    }
    const shifted = proofs.map((line) => line.replace('"first":256,', '"first":300,'));
    expect(await kindOf({ lines: forged, proofs: shifted })).to.equal('unproven');

    const keyless = join(directory, 'keyless.pem');
    await writeFile(keyless, 'no key\n');
    const noKey = { ok: false, fault: { kind: 'noKey' } };
    const beside = `${path}.copy`;
    await copyFile(path, beside);
    await copyFile(proofsBeside(path), proofsBeside(beside));
    expect(await agreedVerdict(beside, { key: keyless })).to.deep.equal(noKey);
    const garbage = Buffer.from('no key, though in PEM');
    expect(await kindOf({ key: garbage })).to.equal('wrongKey');
    const named = headLine({ ...head, keyId: sha256Hex(garbage) });
    expect(await kindOf({ key: garbage, proofs: [named] })).to.equal('badSignature');
  });

  /** The signature with its first number that many zeros longer. */
  function padded(signature: Buffer, zeros: number): Buffer {
    const bytes = Buffer.concat([
      signature.subarray(0, 4),
      Buffer.alloc(zeros),
      signature.subarray(4),
    ]);
    bytes[1] = (bytes[1] ?? 0) + zeros;
    bytes[3] = (bytes[3] ?? 0) + zeros;
    return bytes;
  }

  it('says that two heads, though both signed, contradict each other', async () => {
    const heads = proofs.filter((line) => line.includes('treeSize')).map(parseHead);
    const keyVault = world.pki.vault;
    const forked = { size: 100, root: sha256('another log'), timestamp: new Date() };
    const key = await keyVault.ensureKey('audit-tree-head', 'P-256');
    const signature = await keyVault.sign('audit-tree-head', encodeTreeHead(forked), 'SHA256');
    const head = { ...forked, signature, keyId: sha256Hex(key.publicKey) };
    expect(heads).to.have.length.at.least(2);
    expect(await sentenceOf({ head })).to.equal(
      'The signed tree heads of 100 and of 530 events contradict each other: the log was forked.',
    );
  });

  describe('R1: with the Root CA alone pinned', () => {
    const keys = () => readFile(keysBeside(path), 'utf8');

    /** Verifies what is said to be the export and its keys. */
    async function pinned(given: { readonly proofs?: readonly string[]; readonly keys?: string }) {
      const file = join(directory, `${randomUUID()}.jsonl`);
      await writeFile(
        file,
        lines.map((line) => `${line}\n`),
      );
      await writeFile(
        proofsBeside(file),
        (given.proofs ?? proofs).map((line) => `${line}\n`),
      );
      await writeFile(keysBeside(file), given.keys ?? (await keys()));
      const root = join(directory, 'root.pem');
      await writeFile(root, pem('CERTIFICATE', world.pki.authority.certificates.root));
      return agreedVerdict(file, { root });
    }

    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const own = publicKey.export({ type: 'spki', format: 'der' });
    /** All heads, or the first of them, signed anew with a key of the attacker's. */
    const resigned = (which: 'all' | 'first') =>
      proofs.map((line) => {
        if (!line.includes('treeSize')) return line;
        const head = parseHead(line);
        if (which === 'first' && head.size === EVENTS) return line;
        const signature = sign('sha256', encodeTreeHead(head), privateKey);
        return headLine({ ...head, signature, keyId: sha256Hex(own) });
      });

    it('the keys beside the export are believed as far as their certificates go', async () => {
      expect(await pinned({})).to.deep.include({ ok: true, uncertified: 0 });
    });

    it('certificates suffice, and what cannot be read beside them certifies nothing', async () => {
      const whole = await keys();
      const certificates = whole.slice(whole.indexOf('-----BEGIN CERTIFICATE'));
      expect(whole).to.match(/^-----BEGIN PUBLIC KEY/u);
      const onlyOf = certificates.match(
        /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g,
      );
      const own = onlyOf?.join('\n') ?? '';
      expect(await pinned({ keys: own })).to.have.property('ok', true);
      const garbage =
        pem('CERTIFICATE', Buffer.from('no certificate')) +
        pem('PUBLIC KEY', Buffer.from('no key'));
      expect(await pinned({ keys: garbage + own })).to.have.property('ok', true);
      const unreadable = await pinned({ keys: garbage });
      expect(unreadable.ok ? null : unreadable.fault.kind).to.equal('wrongKey');
    });

    it('a log signed anew with another key is not, whatever certificate that has', async () => {
      const forger = await startTestAuthority();
      const order = { ...serviceOrder(own, 'TSA'), type: 'TREE_KEY', authority: 'root' } as const;
      const certificate = pem('CERTIFICATE', await forger.authority.issue(order));
      for (const added of [pem('PUBLIC KEY', own), pem('PUBLIC KEY', own) + certificate]) {
        const verdict = await pinned({ proofs: resigned('all'), keys: (await keys()) + added });
        if (verdict.ok) throw new Error('The export was believed.');
        expect(verdict.fault.kind).to.equal('uncertifiedKey');
        expect(describeExportFault(verdict.fault)).to.include('the given Root CA did not certify');
      }
      await forger.stop();
    });

    it('tree heads signed by an uncertified key of an earlier release are counted separately', async () => {
      const added = (await keys()) + pem('PUBLIC KEY', own);
      const verdict = await pinned({ proofs: resigned('first'), keys: added });
      expect(verdict).to.include({ ok: true }).and.to.have.property('uncertified').that.is.above(0);
    });
  });

  it('nothing is trusted by default: neither keys nor a root is refused', async () => {
    expect(String(await rejection(verifyExportFile(path, {})))).to.include('--root');
  });

  describe('when the proofs were rewritten, too', () => {
    const blockOf = (index: number) =>
      proofs.findIndex((line) => line.startsWith(`{"first":${Math.floor(index / 256) * 256},`));

    it('still names the altered event, since nobody can make a proof for it', async () => {
      const at = 300;
      const forged = lines.with(at, altered(lines[at]));
      const block = JSON.parse(proofs[blockOf(at)] ?? '') as { own: string[][] };
      // Whatever stands in the tree above the altered leaf, as far as it can be computed without the signing key.
      const hash = sha256('rewritten').toString('base64');
      block.own[at - 256] = (block.own[at - 256] ?? []).map(() => hash);
      const rewritten = proofs.with(blockOf(at), JSON.stringify(block));
      expect(await faultOf({ lines: forged, proofs: rewritten })).to.include({
        kind: 'altered',
        index: at,
      });
    });

    it('says which event cannot be verified when proofs are gone', async () => {
      const forged = lines.with(400, altered(lines[400]));
      const without = proofs.toSpliced(blockOf(400), 1);
      expect(await faultOf({ lines: forged, proofs: without })).to.include({
        kind: 'unproven',
        index: 256,
      });
      const damaged = proofs.with(blockOf(0), 'nothing');
      expect(await faultOf({ lines: forged, proofs: damaged })).to.include({
        kind: 'unproven',
        index: 0,
      });
      // Events alone suffice: they match the signed tree head.
      expect(await verdictOf({ proofs: damaged })).to.have.property('ok', true);
    });
  });

  it('names exactly the first bad event, whatever was done to it', async () => {
    const some = { min: 0, max: EVENTS - 1 };
    await fc.assert(
      fc.asyncProperty(
        fc.integer(some),
        fc.constantFrom('alter', 'remove', 'insert', 'repeat', 'swap', 'cut'),
        async (at, what) => {
          const other = (at + 17) % EVENTS;
          const line = lines[at] ?? '';
          const forgeries = {
            alter: lines.with(at, altered(line)),
            remove: lines.toSpliced(at, 1),
            insert: lines.toSpliced(at, 0, altered(line)),
            repeat: lines.toSpliced(at, 0, lines[other] ?? ''),
            swap: lines.with(at, lines[other] ?? '').with(other, line),
            cut: lines.slice(0, at),
          };
          const fault = await faultOf({ lines: forgeries[what] });
          const first = what === 'swap' ? Math.min(at, other) : at;
          const named =
            'at' in fault ? fault.at.line - 1 : 'index' in fault ? fault.index : undefined;
          expect(named, `${what} ${at}: ${fault.kind}`).to.equal(first);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('An exported log with somebody forgotten in it', () => {
  it('is verified as before, and shows nobody their data', async () => {
    const exportable = await startExportableLog();
    const { directory, path: file, log, process } = exportable;
    const vault = testVault();
    const store = createEventLog({ store: log, vault });
    const civilId = '140000000009';
    await store.append(`citizen-${civilId}`, [recordable(citizenEnrolled(civilId, bat))], 'none');
    const before = await process.trees.signNow();

    await vault.forget(civilId);
    await exportable.export();
    const head = join(directory, 'head.json');
    await writeFile(head, headLine(before));
    const verdict = await verifyExportFile(file, { key: keysBeside(file), head: [head] });
    expect(verdict).to.have.property('ok', true);
    expect(await readFile(file, 'utf8')).not.to.contain(bat.givenNameLatin);

    await exportable.stop();
  });
});

import { createHash, X509Certificate } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { auditActs } from '../../api/pages/auditActs.ts';
import type { SignedTreeHead } from '../../domain/merkle/treeHead.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import { keysBeside, proofsBeside } from '../../infrastructure/export/exportFile.ts';
import { openProofFile, parseHead } from '../../infrastructure/export/proofLines.ts';
import { type TextLine, textDocument } from '../../infrastructure/pdf/textDocument.ts';
import { pemBlocks } from '../../infrastructure/pki/kernel/pem.ts';
import { readCertificates } from '../../infrastructure/pki/readCertificates.ts';
import { treeKeyIn } from '../../infrastructure/pki/treeKeyCertificate.ts';
import type { AuditRow } from '../../projections/audit/audit.ts';
import { actorWord } from './actorWords.ts';
import { exportedRows } from './exportedRows.ts';
import { verifiedExport, type VerifyExportOptions } from './verifyExport.ts';

export type ReportLanguage = keyof typeof auditActs;

export interface AuditReportOptions extends VerifyExportOptions {
  /** Moment, ISO 8601, from which events are counted; default: the first event. */
  readonly from?: string;
  /** Moment, ISO 8601, before which events are counted; default: the last event. */
  readonly to?: string;
  /** Path of the PDF. */
  readonly pdf?: string;
  readonly language: ReportLanguage;
}

/** A key of the export, and what speaks for it. */
interface KeyFact {
  readonly keyId: string;
  /** Null: no certificate of the given root. */
  readonly certificate: X509Certificate | null;
}

interface Counted {
  events: number;
  denied: number;
}

/** Contents of a report: facts of an export that was verified. */
interface ReportFacts {
  readonly file: string;
  readonly sha256: string;
  readonly madeAt: Date;
  readonly installation: { readonly id: string; readonly epoch: string } | null;
  readonly root: { readonly path: string; readonly certificate: X509Certificate } | null;
  readonly events: number;
  readonly first: string | null;
  readonly last: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly counted: number;
  readonly byType: ReadonlyMap<AuditRow['type'], Counted>;
  readonly byActor: ReadonlyMap<string, number>;
  readonly unknown: number;
  readonly heads: readonly SignedTreeHead[];
  readonly known: readonly { readonly path: string; readonly head: SignedTreeHead }[];
  readonly keys: readonly KeyFact[];
}

/**
 * Runs `./tamga audit report`: verifies an export, then writes the report on it, text to standard output, and the same as
 * a PDF to be signed.
 *
 * @returns exit code; 1: it is not verified, so there is no report
 * @throws Error for a period that is none, or files that cannot be read
 */
export async function reportCommand(path: string, options: AuditReportOptions): Promise<number> {
  if ((await verifiedExport(path, options)) === null) return 1;
  const lines = await reportOn(path, options);
  process.stdout.write(lines.map(({ text }) => `${text}\n`).join(''));
  if (options.pdf !== undefined) await writeFile(options.pdf, textDocument(lines));
  return 0;
}

/** The report on an export that was verified, a line each. @throws as {@link reportCommand} */
export async function reportOn(
  path: string,
  options: AuditReportOptions,
): Promise<readonly TextLine[]> {
  return reportLines(await factsOf(path, options), words[options.language], options);
}

async function factsOf(path: string, options: AuditReportOptions): Promise<ReportFacts> {
  const from = momentOf('--from', options.from);
  const to = momentOf('--to', options.to);
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  const { heads } = await openProofFile(options.proofs ?? proofsBeside(path));
  return {
    file: basename(path),
    sha256: hash.digest('hex'),
    madeAt: new Date(),
    from,
    to,
    ...(await counts(path, { from, to })),
    heads,
    known: await Promise.all(
      (options.head ?? []).map(async (head) => ({
        path: basename(head),
        head: parseHead(await readFile(head, 'utf8')),
      })),
    ),
    ...(await keysOf(path, options, heads)),
  };
}

/** @returns ISO 8601 in UTC; null: not given */
function momentOf(option: string, text: string | undefined): string | null {
  if (text === undefined) return null;
  const moment = new Date(text);
  if (!Number.isNaN(moment.getTime())) return moment.toISOString();
  throw new Error(`${option} must be a date or time, such as 2026-01-31 or 2026-01-31T12:00:00Z.`);
}

async function counts(path: string, { from, to }: Pick<ReportFacts, 'from' | 'to'>) {
  const byType = new Map<AuditRow['type'], Counted>();
  const byActor = new Map<string, number>();
  let installation: ReportFacts['installation'] = null;
  let [events, counted, unknown] = [0, 0, 0];
  let first: string | null = null;
  let last: string | null = null;

  const isWithin = (at: string) => (from === null || at >= from) && (to === null || at < to);

  function count({ type, outcome, actor_kind: kind }: AuditRow): void {
    counted += 1;
    const ofType = byType.get(type) ?? { events: 0, denied: 0 };
    byType.set(type, ofType);
    ofType.events += 1;
    if (outcome === 'DENIED') ofType.denied += 1;
    byActor.set(kind, (byActor.get(kind) ?? 0) + 1);
  }

  for await (const rows of exportedRows(path)) {
    events += rows.length;
    for (const { row } of rows) {
      if (row === null) {
        unknown += 1;
        continue;
      }
      first ??= row.happened_at;
      last = row.happened_at;
      if (row.type === 'LOG_ESTABLISH' || row.type === 'LOG_MOVE') {
        const { installationId, epoch } = row.details;
        installation = { id: String(installationId), epoch: String(epoch) };
      }
      if (isWithin(row.happened_at)) count(row);
    }
  }
  return { installation, events, counted, unknown, first, last, byType, byActor };
}

async function keysOf(
  path: string,
  { root, key }: VerifyExportOptions,
  heads: readonly SignedTreeHead[],
): Promise<Pick<ReportFacts, 'root' | 'keys'>> {
  const certified = new Map<string, X509Certificate>();
  const anchor = root === undefined ? undefined : readCertificates(root)[0];
  if (anchor !== undefined) {
    for (const der of pemBlocks(await readFile(key ?? keysBeside(path), 'utf8'), 'CERTIFICATE')) {
      const spki = treeKeyIn(der, anchor);
      if (spki !== null) certified.set(sha256Hex(spki), new X509Certificate(der));
    }
  }
  const ids = [...new Set(heads.map(({ keyId }) => keyId))];
  return {
    root:
      root === undefined || anchor === undefined
        ? null
        : { path: basename(root), certificate: new X509Certificate(anchor) },
    keys: ids.map((keyId) => ({ keyId, certificate: certified.get(keyId) ?? null })),
  };
}

const words = {
  en: {
    title: 'Report on an exported log of the electronic-identity platform',
    made: 'Made',
    installation: 'Installation',
    id: 'Identifier',
    epoch: 'Number of its log, from the first on',
    unnamed: 'The export does not state it.',
    root: 'Root CA, as given by the auditor',
    subject: 'Subject',
    fingerprint: 'SHA-256 of the certificate',
    given: 'None was given: the keys were trusted as the auditor gave them.',
    export: 'Export',
    file: 'File',
    sha256: 'SHA-256',
    events: 'Events',
    first: 'First',
    last: 'Last',
    verdict: 'Verdict',
    verified:
      'Verified: these events, no more, no fewer and in this order, are those of the newest signed head.',
    unknown: 'Events of a newer release, which this program counts but cannot describe',
    heads: 'Signed heads of the tree',
    head: 'head of {size} events, signed {time}, root {root}, key {key}',
    known: 'Compared with heads that were recorded elsewhere',
    nothingKnown:
      'With none. A head recorded on an earlier visit and given with --head shows that the log has only grown since.',
    keys: 'Keys that signed the heads',
    certified: '{key}: certified by the Root CA given, {subject}, valid {from} to {to}',
    uncertified: '{key}: not certified by the Root CA given',
    period: 'Events of the period, by type',
    span: 'From {from} up to {to}: {count}',
    beginning: 'the beginning',
    end: 'the end',
    denied: '{count} refused',
    actors: 'Events of the period, by who acted',
    limits: 'What this report does not show',
    limit:
      'That an act that was never recorded did not happen. Names and other personal data are encrypted in an export and were not read.',
    auditor: 'Auditor:',
    signature: 'Date and signature:',
  },
  mn: {
    title: 'Цахим таних системийн бүртгэлийн экспортын тайлан',
    made: 'Гаргасан',
    installation: 'Суулгац',
    id: 'Таних дугаар',
    epoch: 'Бүртгэлийн дугаар, эхнийхээс эхлэн',
    unnamed: 'Экспортод нэрлээгүй байна.',
    root: 'Аудиторын өгсөн үндсэн CA',
    subject: 'Эзэмшигч',
    fingerprint: 'Гэрчилгээний SHA-256',
    given: 'Өгөөгүй тул түлхүүрүүдэд аудиторын өгсөн ёсоор итгэв.',
    export: 'Экспорт',
    file: 'Файл',
    sha256: 'SHA-256',
    events: 'Үйл явдал',
    first: 'Эхний',
    last: 'Сүүлийн',
    verdict: 'Дүгнэлт',
    verified:
      'Баталгаажлаа: эдгээр үйл явдал илүү дутуугүй, энэ дарааллаараа хамгийн сүүлд гарын үсэг зурсан модны үйл явдлууд мөн.',
    unknown: 'Энэ програмын танихгүй, шинэ хувилбарын үйл явдал',
    heads: 'Гарын үсэгтэй модны оройнууд',
    head: '{size} үйл явдлын модны орой, {time} зурсан, үндэс {root}, түлхүүр {key}',
    known: 'Өөр газар тэмдэглэсэн модны оройнуудтай тулгасан',
    nothingKnown:
      'Тулгаагүй. Өмнө тэмдэглэсэн модны оройг --head сонголтоор өгвөл бүртгэл түүнээс хойш зөвхөн нэмэгдсэнийг харуулна.',
    keys: 'Модны оройнуудад гарын үсэг зурсан түлхүүрүүд',
    certified: '{key}: өгсөн үндсэн CA гэрчилсэн, {subject}, {from} – {to} хүчинтэй',
    uncertified: '{key}: өгсөн үндсэн CA-ийн гэрчилгээгүй',
    period: 'Хугацааны үйл явдал, төрлөөр',
    span: '{from} – {to}: {count}',
    beginning: 'эхлэл',
    end: 'төгсгөл',
    denied: '{count} татгалзсан',
    actors: 'Хугацааны үйл явдал, үйлдэгчээр',
    limits: 'Энэ тайлан юуг харуулахгүй вэ',
    limit:
      'Огт бүртгээгүй зүйл болоогүй гэдгийг харуулахгүй. Нэр болон бусад хувийн мэдээлэл экспортод шифрлэгдсэн тул уншаагүй.',
    auditor: 'Аудитор:',
    signature: 'Огноо, гарын үсэг:',
  },
} as const;

type ReportWords = (typeof words)[ReportLanguage];

const filled = (text: string, values: Readonly<Record<string, string | number>>) =>
  text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));

const nameOf = ({ subject }: X509Certificate) => subject.replaceAll('\n', ', ');

function reportLines(
  facts: ReportFacts,
  say: ReportWords,
  { language }: Pick<AuditReportOptions, 'language'>,
): readonly TextLine[] {
  const heading = (text: string): readonly TextLine[] => [{ text: '' }, { text, isHeading: true }];
  const line = (text: string): TextLine => ({ text });
  const fact = (label: string, value: string | number) => line(`${label}: ${value}`);
  const { root, installation, known, byType, byActor } = facts;
  const headOf = ({ size, timestamp, root: hash, keyId }: SignedTreeHead) =>
    filled(say.head, {
      size,
      time: timestamp.toISOString(),
      root: hash.toString('base64'),
      key: keyId.slice(0, 16),
    });
  const acts = auditActs[language];
  return [
    { text: say.title, isHeading: true },
    fact(say.made, facts.madeAt.toISOString()),
    ...heading(say.installation),
    ...(installation === null
      ? [line(say.unnamed)]
      : [fact(say.id, installation.id), fact(say.epoch, installation.epoch)]),
    ...heading(say.root),
    ...(root === null
      ? [line(say.given)]
      : [
          fact(say.file, root.path),
          fact(say.subject, nameOf(root.certificate)),
          fact(say.fingerprint, root.certificate.fingerprint256.replaceAll(':', '').toLowerCase()),
        ]),
    ...heading(say.export),
    fact(say.file, facts.file),
    fact(say.sha256, facts.sha256),
    fact(say.events, facts.events),
    fact(say.first, facts.first ?? '-'),
    fact(say.last, facts.last ?? '-'),
    ...heading(say.verdict),
    line(say.verified),
    ...(facts.unknown === 0 ? [] : [fact(say.unknown, facts.unknown)]),
    ...heading(say.heads),
    ...facts.heads.map((head) => line(headOf(head))),
    ...heading(say.known),
    ...(known.length === 0 ? [line(say.nothingKnown)] : []),
    ...known.map(({ path, head }) => fact(path, headOf(head))),
    ...heading(say.keys),
    ...facts.keys.map(({ keyId, certificate }) =>
      line(
        certificate === null
          ? filled(say.uncertified, { key: keyId })
          : filled(say.certified, {
              key: keyId,
              subject: nameOf(certificate),
              from: certificate.validFromDate.toISOString(),
              to: certificate.validToDate.toISOString(),
            }),
      ),
    ),
    ...heading(say.period),
    line(
      filled(say.span, {
        from: facts.from ?? say.beginning,
        to: facts.to ?? say.end,
        count: facts.counted,
      }),
    ),
    ...[...byType]
      .toSorted(([, one], [, other]) => other.events - one.events)
      .map(([type, { events, denied }]) =>
        fact(
          `${acts[type]} (${type})`,
          denied === 0 ? events : `${events}, ${filled(say.denied, { count: denied })}`,
        ),
      ),
    ...heading(say.actors),
    ...[...byActor].map(([kind, count]) => fact(actorWord(kind, language, 'many'), count)),
    ...heading(say.limits),
    line(say.limit),
    line(''),
    line(''),
    line(`${say.auditor} ______________________________`),
    line(''),
    line(`${say.signature} ______________________________`),
  ];
}

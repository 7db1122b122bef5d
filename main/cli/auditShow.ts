import { auditActs } from '../../api/pages/auditActs.ts';
import { endResultHelp } from '../../api/problems/help/endResultHelp.ts';
import { problemHelp } from '../../api/problems/help/problemHelp.ts';
import { problems } from '../../api/problems/problems.ts';
import { type Language, textsIn } from '../../api/pages/texts.ts';
import { codeWord } from '../../api/pages/words/codeWords.ts';
import { effectIn, isEffect } from '../../api/pages/words/effectWords.ts';
import { fieldWords } from '../../api/pages/words/fieldWords.ts';
import type { AuditDetails } from '../../application/audit/ports/auditTrail.ts';
import { personEtsi, readPersonIdentifier } from '../../domain/shared/etsi.ts';
import { identifierOf } from '../../domain/shared/streams.ts';
import type { AuditRow } from '../../projections/audit/audit.ts';
import { actorWord } from './actorWords.ts';
import { exportedRows } from './exportedRows.ts';
import { say } from './say.ts';
import { verifiedExport, type VerifyExportOptions } from './verifyExport.ts';

export interface AuditShowOptions extends VerifyExportOptions {
  readonly language: Language;
}

/** Runs `./tamga audit show`. @returns exit code; 1: the export is not verified, or says nothing of it */
export async function showCommand(
  path: string,
  id: string,
  options: AuditShowOptions,
): Promise<number> {
  if ((await verifiedExport(path, options)) === null) return 1;
  let told = 0;
  for await (const each of historyOf(path, id, options)) {
    told += 1;
    say(each);
  }
  if (told > 0) return 0;
  process.stderr.write(`The export contains nothing about ${id}.\n`);
  return 1;
}

/**
 * Tells in sentences what an export says of a session, a person, or whatever else has an identifier. What is of a person
 * without naming them, like the end of their session, is found by its stream.
 *
 * @param id of a session, device, certificate…; a civil id, with or without `PNOMN-`
 * @throws Error when the file cannot be read
 */
export async function* historyOf(
  path: string,
  id: string,
  { language }: Pick<AuditShowOptions, 'language'>,
): AsyncGenerator<string> {
  const isOf = concerning(id);
  const streams = new Set<string>();
  for await (const rows of exportedRows(path)) {
    for (const { row } of rows) {
      // Streams of many, such as that of all reads of a day, would bring in what is of others.
      const isOwn = row !== null && identifierOf(row.stream) === row.subject;
      if (isOwn && isOf(row)) streams.add(row.stream);
    }
  }
  for await (const rows of exportedRows(path)) {
    for (const { row, correlationId } of rows) {
      if (row === null) continue;
      if (streams.has(row.stream) || isOf(row) || correlationId === id)
        yield sentence(row, language);
    }
  }
}

function concerning(id: string): (row: AuditRow) => boolean {
  const person = readPersonIdentifier(id);
  const etsi = person?.type === 'civilId' ? personEtsi(person.civilId) : id;
  return ({ stream, subject, person: whom }) =>
    identifierOf(stream) === id || subject === id || subject === etsi || whom === etsi;
}

const refusedWord = { en: 'refused', mn: 'татгалзсан' } as const;

function sentence(row: AuditRow, language: Language): string {
  const refused = refusedWord[language];
  const who = actorWord(row.actor_kind, language, 'one');
  const parts = [
    `${auditActs[language][row.type]}${row.outcome === 'DENIED' ? ` (${refused})` : ''}`,
    row.subject === '-' ? who : `${who} ${row.actor_id} → ${row.subject}`,
    ...detailsIn(row.details, language),
  ];
  return `${row.happened_at}  ${parts.join('; ')}.`;
}

/** Details of an entry of the audit in words, in the order they were recorded in; settings of many fields as JSON. */
export function detailsIn(details: AuditDetails, language: Language): readonly string[] {
  const said = textsIn(language);

  function valueOf(value: unknown, field: string): string {
    if (Array.isArray(value)) return value.map((each) => valueOf(each, field)).join(', ');
    if (isEffect(value)) {
      const { target, before, after } = effectIn(said, value);
      return `${target}: ${before} → ${after}`;
    }
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return codeWord(text, language, field) ?? text;
  }

  return Object.entries(details).flatMap(([name, value]) => {
    if (isNothing(value)) return [];
    const refusal = typeof value === 'string' ? refusalWords(value, language) : undefined;
    if (refusal !== undefined) return [refusal];
    const label = isField(name) ? said(fieldWords, name) : name;
    return [`${label}: ${valueOf(value, name)}`];
  });
}

const isNothing = (value: unknown) =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

const isField = (name: string): name is keyof typeof fieldWords.keys =>
  Object.hasOwn(fieldWords.keys, name);

/** Words of the documentation on an end result or a refusal, with its code to search for; undefined: it is neither. */
function refusalWords(code: string, language: Language): string | undefined {
  const words = wordsOf(code, language);
  return words === undefined ? undefined : `${words.replace(/\.$/u, '')} (${code})`;
}

function wordsOf(code: string, language: Language): string | undefined {
  if (Object.hasOwn(endResultHelp, code)) {
    return endResultHelp[code as keyof typeof endResultHelp].means[language];
  }
  if (!Object.hasOwn(problems, code)) return undefined;
  const refusal = code as keyof typeof problems;
  return language === 'mn' ? problemHelp[refusal].mn.title : problems[refusal].title;
}

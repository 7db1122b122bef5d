import { type Details, parse, type ParseResult } from 'mrz';
import { PassportRejected } from './rejection.ts';

/** Fields of a machine-readable zone (ICAO Doc 9303-3 §4). */
export interface MachineReadableZone {
  readonly format: 'TD1' | 'TD2' | 'TD3';
  /** The lines without line breaks, as in data group 1. */
  readonly text: string;
  /** `P`, `PM`, `I`, `ID` … */
  readonly documentCode: string;
  /** ICAO code without filler: `MNG`, `D`, `UTO`. */
  readonly issuingState: string;
  readonly documentNumber: string;
  readonly nationality: string;
  /** Surname; parts separated by a space. */
  readonly primaryIdentifier: string;
  /** Given names; empty when there are none. */
  readonly secondaryIdentifier: string;
  /** The name fills its field: it may be truncated (Doc 9303-3 §4.6). */
  readonly isNameCut: boolean;
  /** `YYYY-MM-DD`; null when partly unknown (Doc 9303-3 §4.8). */
  readonly birthDate: string | null;
  readonly sex: 'M' | 'F' | 'X';
  /** `YYYY-MM-DD`. */
  readonly expiryDate: string;
  /** Optional data of the State without trailing filler: often a personal number. */
  readonly optionalData: readonly string[];
}

/** Line length by total length (Doc 9303-5, -6 and -4). */
const lineLengths: Readonly<Record<number, number>> = { 90: 30, 72: 36, 88: 44 };

/** Line, start and end of the name. */
const nameFields = { TD1: [2, 0, 30], TD2: [0, 5, 36], TD3: [0, 5, 44] } as const;

/** Document number too long for its field: line, offset of its check digit, start and end of its rest. */
const extendedNumbers = { TD1: [0, 14, 15, 30], TD2: [1, 9, 28, 35] } as const;

/** The rest, the check digit, a filler (Doc 9303-5 and -6 §4.2.2, note j). */
const EXTENDED_NUMBER_REST = /^[A-Z0-9]+\d</;

/**
 * Parses a machine-readable zone of format TD1, TD2 or TD3 and checks every check digit.
 *
 * @param given the lines, with or without line breaks
 * @param now decides the century: no birth after it, no expiry more than 50 years after it; the zone is ambiguous for
 * persons older than a hundred years, and the later century is taken
 * @throws PassportRejected MRZ_FORMAT, MRZ_ALPHABET, MRZ_FIELD and MRZ_CHECK_DIGIT with the field
 */
export function readMachineReadableZone(given: string, now: Date): MachineReadableZone {
  const lines = linesOf(given);
  const { format, fields, details } = parsed(lines);
  const field = (name: keyof typeof fields) => fields[name] ?? '';
  const wrong = details.find((detail) => !detail.valid && !isUtopia(detail, lines));
  if (wrong !== undefined) throw rejectionOf(wrong);
  if (format !== 'TD3') checkExtendedNumber(format, lines);
  const birthDate = field('birthDate');
  return {
    format,
    text: lines.join(''),
    documentCode: field('documentCode'),
    issuingState: field('issuingState') || UTOPIA,
    documentNumber: field('documentNumber'),
    nationality: field('nationality') || UTOPIA,
    ...namesOf(format, lines),
    birthDate: birthDate.includes('<') ? null : dateOf(birthDate, 'birthDate', latestBirth(now)),
    sex: sexes[field('sex')] ?? 'X',
    expiryDate: dateOf(field('expirationDate'), 'expirationDate', latestExpiry(now)),
    optionalData: optionalFields.map(field).filter((text) => text !== ''),
  };
}

const optionalFields = ['personalNumber', 'optional', 'optional1', 'optional2'] as const;

const sexes: Readonly<Record<string, 'M' | 'F'>> = { male: 'M', female: 'F' };

function linesOf(given: string): readonly string[] {
  const lines = given.length > 100 ? [] : given.trim().split(/\s+/);
  const joined = lines.join('');
  const length = lineLengths[joined.length];
  if (length === undefined) throw new PassportRejected('MRZ_FORMAT');
  if (lines.length > 1 && lines.some((line) => line.length !== length)) {
    throw new PassportRejected('MRZ_FORMAT');
  }
  if (!/^[A-Z0-9<]+$/.test(joined)) throw new PassportRejected('MRZ_ALPHABET');
  const count = joined.length / length;
  return Array.from({ length: count }, (_, index) =>
    joined.slice(index * length, (index + 1) * length),
  );
}

type Parsed = ParseResult & { readonly format: MachineReadableZone['format'] };

function parsed(lines: readonly string[]): Parsed {
  const result = parse(lines);
  if (!isTravelDocument(result)) throw new PassportRejected('MRZ_FORMAT');
  return result;
}

/** The library also accepts national formats outside Doc 9303. */
function isTravelDocument(result: ParseResult): result is Parsed {
  return Object.hasOwn(nameFields, result.format);
}

/** Doc 9303 issues its specimens in Utopia, a State the library does not know. */
function isUtopia({ field, line, start, end }: Details, lines: readonly string[]): boolean {
  const isState = field === 'issuingState' || field === 'nationality';
  return isState && lines[line]?.slice(start, end) === UTOPIA;
}

const UTOPIA = 'UTO';

/** The library's message quotes the zone; the rejection names the field only. */
function rejectionOf({ field, label }: Details): PassportRejected {
  const name = field ?? label;
  return name.endsWith('CheckDigit')
    ? new PassportRejected('MRZ_CHECK_DIGIT', name.replace(/CheckDigit$/, ''))
    : new PassportRejected('MRZ_FIELD', name);
}

/** A filler instead of the check digit announces a longer number; without its rest nothing would be checked. */
function checkExtendedNumber(format: 'TD1' | 'TD2', lines: readonly string[]): void {
  const [at, checkDigit, start, end] = extendedNumbers[format];
  const line = lines[at] ?? '';
  if (line[checkDigit] === '<' && !EXTENDED_NUMBER_REST.test(line.slice(start, end))) {
    throw new PassportRejected('MRZ_FIELD', 'documentNumber');
  }
}

/** One filler within an identifier, two between the two, and after the last nothing but filler (Doc 9303-3 §4.6). */
const NAME = /^(?<primary>[A-Z]+(<[A-Z]+)*)(<<(?<secondary>[A-Z]+(<[A-Z]+)*))?<*$/;

function namesOf(format: MachineReadableZone['format'], lines: readonly string[]) {
  const [line, start, end] = nameFields[format];
  const name = lines[line]?.slice(start, end) ?? '';
  const { primary, secondary } = NAME.exec(name)?.groups ?? {};
  if (primary === undefined) throw new PassportRejected('MRZ_FIELD', 'name');
  return {
    primaryIdentifier: primary.replaceAll('<', ' '),
    secondaryIdentifier: (secondary ?? '').replaceAll('<', ' '),
    isNameCut: !name.endsWith('<'),
  };
}

/** Latest current date on earth, at UTC+14, `YYYY-MM-DD`. */
function latestBirth(now: Date): string {
  return new Date(now.getTime() + 14 * 3_600_000).toISOString().slice(0, 10);
}

function latestExpiry(now: Date): string {
  return `${now.getUTCFullYear() + 50}-12-31`;
}

/** Latest date with those two digits of a year that is not after `latest`. */
function dateOf(digits: string, field: string, latest: string): string {
  const [, year = '', month = '', day = ''] = /^(\d\d)(\d\d)(\d\d)$/.exec(digits) ?? [];
  const thisCentury = `20${year}-${month}-${day}`;
  const text = thisCentury <= latest ? thisCentury : `19${year}-${month}-${day}`;
  const time = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(time) || !new Date(time).toISOString().startsWith(text)) {
    throw new PassportRejected('MRZ_FIELD', field);
  }
  return text;
}

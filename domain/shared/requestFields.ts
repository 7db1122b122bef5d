import { z } from 'zod';
import type { Field, Fields, Shape } from './eventFields.ts';

// Schemas of fields as requests give them: with the bounds that stored events no longer need.

/** Issues the fault of a text that a citizen is shown; null and absent have none. */
export const displayed = (lineBreaks: LineBreaks) =>
  z.superRefine<string | null | undefined>((text, context) => {
    const fault = faultOfDisplayed(text ?? '', lineBreaks);
    if (fault !== null) context.addIssue({ code: 'custom', message: fault });
  });

/** Single-line text shown to people, trimmed. @param atMost characters */
export function visibleText(atMost: number) {
  return z.string().trim().min(1).max(atMost).check(displayed('one line'));
}

/** Texts without what surrounds them. @param atMost how many */
export function entriesOf(atMost: number): Field<readonly string[]> {
  return z.array(z.string().trim().min(1).max(255)).max(atMost);
}

/** A text without what surrounds it. @param atMost characters */
export function textOf(atMost: number): Field<string> {
  return z.string().trim().min(1).max(atMost);
}

/** An address of the web, whatever its form. */
export const address: Field<string> = z.string().trim().min(1).max(2000);

/** An e-mail address. @param atMost characters */
export function emailAddress(atMost: number): Field<string> {
  return z.email().max(atMost);
}

/** A telephone number as people write it, with the prefix of the country or without. */
export const phoneNumber: Field<string> = z
  .string()
  .trim()
  .regex(/^\+?[0-9](?:[ ()/-]{0,2}[0-9]){3,19}$/, 'Must be a telephone number.');

/** Addresses. */
export function addressesOf({
  atLeast = 0,
  atMost,
}: {
  readonly atLeast?: number;
  readonly atMost: number;
}): Field<readonly string[]> {
  const addresses = z.array(address).max(atMost);
  return atLeast === 0 ? addresses : addresses.min(atLeast);
}

/** Some of these words, each once, in the order given. */
export function choiceOf<const Word extends string>(
  words: readonly Word[],
): Field<readonly Word[]> {
  return z.array(z.enum(words)).transform((chosen): readonly Word[] => [...new Set(chosen)]);
}

/** A record of these fields and no others. */
export function recordOf<const Of extends Shape>(fields: Of): Field<Fields<Of>> {
  return z.strictObject(fields) as Field as Field<Fields<Of>>;
}

/** Entries of one kind. */
export function upTo<Entry>(atMost: number, entry: Field<Entry>): Field<readonly Entry[]> {
  return z.array(entry).max(atMost);
}

/** A UUID (RFC 9562 §4), in lower case. */
export const uuid: Field<string> = z.guid().transform((id) => id.toLowerCase());

/** A text of one form. @param fault says what it has to be */
export function textThat(isRight: (text: string) => boolean, fault: string): Field<string> {
  return z.string().refine(isRight, fault);
}

/** This word alone. */
export function exactly<const Word extends string>(word: Word): Field<Word> {
  return z.literal(word);
}

/** Reads a value from outside; its first fault in one sentence when it is something else. */
export function readAs<Value>(
  field: Field<Value>,
  given: unknown,
): { value: Value } | { fault: string } {
  const { data, error, success } = field.safeParse(given);
  if (success) return { value: data };
  const [issue] = error.issues;
  return { fault: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}` };
}

/** A whole number. */
export const wholeNumber: Field<number> = z.int();

/** A whole number above 0. */
export function countOf(atMost: number): Field<number> {
  return z.int().min(1).max(atMost);
}

/** A field that may be left out. */
export type Defaulted<Of extends Field> = z.ZodDefault<Of>;

/** Line breaks of a text: none, or line feeds. */
type LineBreaks = 'one line' | 'lines';

/** ASCII with something to be seen. */
const PLAIN = /^(?=.*[!-~])[ -~]*$/;

/**
 * Characters that change how a text reads without being seen: controls, bidirectional and other format characters,
 * zero-width and blank ones, line and paragraph separators, halves of surrogate pairs, and those no font is bound to draw.
 */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * Characters that belong to their neighbours: selectors of an emoji's form or of a letter in Mongolian script, and the
 * joiners of one emoji made of several.
 */
const BELONGING =
  /(?<=(?![0-9#*])\p{Emoji})[\ufe0e\ufe0f]|(?<=[0-9#*])\ufe0f(?=\u20e3)|(?<=\p{Script=Mongolian})[\u180b-\u180f]|(?<=\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)\u200d(?=\p{Extended_Pictographic})/gu;

/** Something to be seen: neither a space nor a mark without a letter. */
const SEEN = /(?![\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u;

/** A mark with no letter to stand on, or a pile of them, which reaches into other lines. */
const LOOSE_MARK = /(?<![\p{L}\p{N}\p{P}\p{S}\p{M}])\p{M}|\p{M}{5}/u;

/** Empty lines that push what follows out of sight. */
const MANY_EMPTY_LINES = /\n(?:\p{Zs}*\n){3}/u;

/** The micro sign is Greek in its compatible form, and stands before Latin units. */
const WORDS = /(?:[^\P{L}\u00b5]|\p{M})+/gu;

/** A word as Mongolian writes a foreign one: a Latin stem with a Mongolian ending, `SMSээр`. */
const STEM_AND_ENDING = /^(?<stem>[A-Za-z]+)(?<ending>[\u0410-\u044fЁёӨөҮү]+)$/u;

/** A Latin letter that no letter of the Mongolian alphabet looks like. */
const ONLY_LATIN = /[DFGIJLNQRSUVWZbdf-jlqs-wz]/;

/** A letter of the Mongolian alphabet that no Latin one looks like. */
const ONLY_MONGOLIAN = /[БГДЖЗИЙЛПФЦЧШЩЪЫЬЭЮЯӨҮЁбвджзйлнтфцчшщъыьэюяөё]/;

/** Endings whose letters all look Latin. */
const LOOKALIKE_ENDING = /^(?:аар|оор|аас|оос|руу)$/;

/** Stems too long, or written too differently, to make one Latin word with such an ending: `Scoop`, `Isaac`. */
const CLEAR_STEM = /^(?:[A-Z]{2,}|[A-Za-z]{3,})$/;

/** Scripts whose letters look alike. */
const LOOKALIKES = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Coptic}/u,
  /\p{Script=Lisu}/u,
];

/**
 * Checks that a text displayed to a citizen, such as a name or a request, is seen and reads as it is stored. Words of
 * different scripts may be neighbours, as Latin names are in Mongolian texts; within a word, scripts with similar letters
 * do not mix, unless it is plain where a Latin stem ends and its Mongolian ending begins.
 *
 * @returns the fault, for the sender of the text; null: none, as of an empty one
 */
export function faultOfDisplayed(text: string, lineBreaks: LineBreaks): string | null {
  if (text === '' || PLAIN.test(text)) return null;
  const line = lineBreaks === 'lines' ? text.replaceAll('\n', ' ') : text;
  const plain = line.replaceAll(BELONGING, '');
  if (UNSEEN.test(plain)) {
    return 'Must have no control, bidirectional, zero-width or other invisible characters.';
  }
  if (!SEEN.test(plain)) return 'Must have visible characters, not only blanks.';
  if (LOOSE_MARK.test(plain)) {
    return 'Must have no combining mark without a letter, and at most four on one.';
  }
  if (MANY_EMPTY_LINES.test(text)) return 'Must have at most two empty lines in a row.';
  const words = plain.match(WORDS) ?? [];
  return words.some(mixesLookalikes)
    ? 'Must not mix Latin with Cyrillic, Greek or other letters that look alike within a word.'
    : null;
}

/** Letters count in their compatible form: a mathematical A is a Latin one. */
function mixesLookalikes(word: string): boolean {
  const letters = word.normalize('NFKC');
  if (LOOKALIKES.filter((script) => script.test(letters)).length <= 1) return false;
  return !isLatinStemWithEnding(word.normalize('NFC'));
}

/** True when neither part can be taken for letters of the other script, which would make the word look like another. */
function isLatinStemWithEnding(word: string): boolean {
  const { stem, ending } = STEM_AND_ENDING.exec(word)?.groups ?? {};
  if (stem === undefined || ending === undefined || !ONLY_LATIN.test(stem)) return false;
  return ONLY_MONGOLIAN.test(ending) || (LOOKALIKE_ENDING.test(ending) && CLEAR_STEM.test(stem));
}

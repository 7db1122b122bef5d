import { z } from 'zod';
import { faultOfDisplayed, type LineBreaks } from './displayedText.ts';
import type { Field } from './eventFields.ts';

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

/** An address of the web, whatever its form. */
export const address: Field<string> = z.string().trim().min(1).max(2000);

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

/** A whole number. */
export const wholeNumber: Field<number> = z.int();

/** A whole number above 0. */
export function countOf(atMost: number): Field<number> {
  return z.int().min(1).max(atMost);
}

/** A field that may be left out. */
export type Defaulted<Of extends Field> = z.ZodDefault<Of>;

import { z } from 'zod';
import { faultOfDisplayed, type LineBreaks } from '../../domain/shared/displayedText.ts';

/** Bounds in code points of texts, which JSON Schema cannot tell from those in UTF-16 units. */
export const textBounds = z.registry<{ readonly maxLength: number }>();

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

/** Multi-line text shown to people. @param atMost characters */
export function proseText(atMost: number) {
  return z
    .string()
    .trim()
    .max(atMost)
    .transform((text) => text.replaceAll('\r\n', '\n'))
    .refine((text) => !/[^\P{Cc}\n\t]/u.test(text), 'Must have no control characters.');
}

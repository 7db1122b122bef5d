import { z } from 'zod';

/** Bounds in code points of texts, which JSON Schema cannot tell from those in UTF-16 units. */
export const textBounds = z.registry<{ readonly maxLength: number }>();

/** Multi-line text shown to people. @param atMost characters */
export function proseText(atMost: number) {
  return z
    .string()
    .trim()
    .max(atMost)
    .transform((text) => text.replaceAll('\r\n', '\n'))
    .refine((text) => !/[^\P{Cc}\n\t]/u.test(text), 'Must have no control characters.');
}

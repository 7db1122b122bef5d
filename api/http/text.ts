import { z } from 'zod';

/** Single-line text shown to people, trimmed. @param atMost characters */
export function visibleText(atMost: number) {
  return z
    .string()
    .trim()
    .min(1)
    .max(atMost)
    .refine((text) => !/\p{Cc}/u.test(text), 'Must have no control characters.');
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

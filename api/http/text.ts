import { z } from 'zod';

/** A line of text that people read, without blanks around it. @param atMost characters */
export function visibleText(atMost: number) {
  return z
    .string()
    .trim()
    .min(1)
    .max(atMost)
    .refine((text) => !/\p{Cc}/u.test(text), 'Must have no control characters.');
}

/** Text of several lines that people read. @param atMost characters */
export function proseText(atMost: number) {
  return z
    .string()
    .trim()
    .max(atMost)
    .transform((text) => text.replaceAll('\r\n', '\n'))
    .refine((text) => !/[^\P{Cc}\n\t]/u.test(text), 'Must have no control characters.');
}

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

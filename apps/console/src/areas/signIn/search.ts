import { z } from '../../shared/zod.ts';

/** Destination after the sign-in: a path of the console, never another site. */
export const returnSearch = z.object({
  return: z
    .string()
    .regex(/^\/(?![/\\])/)
    .optional()
    .catch(undefined),
});

import { z } from 'zod';
import type { Reply } from '../http/route.ts';
import { certificateLevels } from '../../domain/shared/certificateLevel.ts';

// Schemas shared by responses of several surfaces.

/** RFC 3339, UTC. */
export const moment = z.iso.datetime();

export const certificateLevel = z.enum(certificateLevels);

/** A certificate and its level, as sent to relying parties. */
export const certificateAnswer = z
  .object({ value: z.string().meta({ description: 'DER, base64' }), certificateLevel })
  .meta({ id: 'Certificate' });

/** Count, never negative. */
export const count = z.int().min(0);

/** Error body (contract §6), RFC 9457 with additions. */
export const problemAnswer = z
  .object({
    type: z.string().meta({
      description: 'Address of the page about this problem, relative to the service',
      examples: ['/docs/problems/INVALID_REQUEST'],
    }),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string(),
    instance: z.string().meta({ description: 'The request id, also in X-Request-Id' }),
    error: z.string().meta({ description: 'The same sentence as in detail' }),
    code: z.string().meta({ description: 'Stable; programs can compare it' }),
    errors: z
      .array(
        z.object({
          pointer: z.string().meta({
            description:
              'JSON pointer into the body, or #/path/…, #/query/…, #/header/… for other parts',
          }),
          detail: z.string(),
        }),
      )
      .optional(),
  })
  .meta({ id: 'Problem' });

/** Reply to a command that is done, and shown later than its caller can wait. */
export const notYetShown: Reply = {
  status: 202,
  headers: { 'retry-after': '2' },
  body: {
    status: 'ACCEPTED',
    code: 'NOT_YET_SHOWN',
    detail:
      'This is done and stored, and will be shown shortly. Do not repeat the request. Read again.',
  },
};

import { z } from 'zod';
import {
  DAYS_KEPT,
  REFUSALS_KEPT,
  type RememberedRequests,
} from '../../application/relyingParty/ports/requestLog.ts';
import { refusalCodes } from '../../domain/shared/refusal.ts';
import { count, moment } from './answers.ts';

const operation = z.string().meta({
  description: 'Method and path, with parameters instead of identifiers',
  examples: ['POST /v3/authentication/notification/etsi/:id'],
});
const code = z.enum(refusalCodes);

/** Requests of a relying party as far as they are remembered. */
export const requestLogAnswer = z.strictObject({
  days: count.meta({ description: 'Days that requests are kept, including today' }),
  counts: z
    .array(
      z.strictObject({
        operation,
        code: code
          .nullable()
          .meta({ description: 'Problem of the refused requests; null for accepted ones' }),
        requests: count,
        lastAt: moment,
      }),
    )
    .meta({ description: 'Requests by operation and outcome' }),
  refused: z
    .array(
      z.strictObject({
        at: moment,
        requestId: z.string().meta({ description: 'X-Request-Id of the answer' }),
        operation,
        status: z.int().min(400).max(599),
        code,
        faults: z
          .array(
            z.strictObject({
              pointer: z.string(),
              rule: z.string().nullable().meta({ description: 'The rule that was broken' }),
            }),
          )
          .meta({ description: 'Invalid fields, at most ten, without their values' }),
      }),
    )
    .meta({ description: `The last refused requests, newest first, at most ${REFUSALS_KEPT}` }),
});

export function requestLogBody({
  counted,
  refused,
}: RememberedRequests): z.output<typeof requestLogAnswer> {
  return {
    days: DAYS_KEPT,
    counts: counted.map((each) => ({ ...each, lastAt: each.lastAt.toISOString() })),
    refused: refused.map(({ faults, ...each }) => ({
      ...each,
      at: each.at.toISOString(),
      faults: [...faults],
    })),
  };
}

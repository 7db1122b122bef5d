import { z } from 'zod';
import type { FieldFault } from '../../domain/shared/refusal.ts';
import type { Problem, WrittenRefusal } from '../problems/problem.ts';
import type { Reply } from '../http/route.ts';

// Response bodies of the assistant's endpoints (contract §12).

/** Success envelope: `{status: true, message, data}`. */
export function enveloped(data: unknown, message = 'ok'): Reply & { readonly body: object } {
  return { body: { status: true, message, data } };
}

/** Schema of {@link enveloped}. */
export function envelopeOf<Data extends z.ZodType>(data: Data) {
  return z.strictObject({ status: z.literal(true), message: z.string(), data });
}

/** Schema of a refusal in the envelope. */
export const refusalEnvelope = z
  .object({
    status: z.literal(false),
    message: z.string(),
    data: z
      .object({
        errors: z.array(z.object({ field: z.string(), tag: z.string(), message: z.string() })),
      })
      .optional(),
  })
  .meta({ id: 'AssistantRefusal' });

/**
 * Writes a refusal in the envelope: 422 with every fault for a readable body with invalid fields,
 * otherwise the status of its code.
 */
export function asEnvelope({ status, detail, faults }: Problem): WrittenRefusal {
  const contentType = 'application/json';
  const [first] = faults;
  if (status === 400 && first !== undefined && faults.every(isInBody)) {
    const data = {
      errors: faults.map(({ pointer, detail: message, rule: tag = 'invalid' }) => ({
        field: pointer.slice(1).replaceAll('/', '.'),
        tag,
        message,
      })),
    };
    return {
      status: 422,
      contentType,
      body: { status: false, message: 'validation failed', data },
    };
  }
  return { status, contentType, body: { status: false, message: first?.detail ?? detail } };
}

function isInBody({ pointer }: FieldFault): boolean {
  return pointer.startsWith('/');
}

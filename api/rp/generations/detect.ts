import { z } from 'zod';
import { flatAuthentication, flatSignature } from './g1.ts';
import { nestedAuthentication, nestedSignature } from './g2.ts';

/** How session-creating bodies are told apart (contract §1). */
export function detectGeneration(body: object): 'G1' | 'G2' {
  const { interactions, signatureProtocolParameters } = body as Record<string, unknown>;
  const isNested =
    typeof interactions === 'string' ||
    (typeof signatureProtocolParameters === 'object' && signatureProtocolParameters !== null);
  return isNested ? 'G2' : 'G1';
}

/** Says in the body which generation it is of, so that the schema of that one alone reads it and names its faults. */
function named(body: unknown): unknown {
  return typeof body === 'object' && body !== null && !Array.isArray(body)
    ? { ...body, generation: detectGeneration(body) }
    : body;
}

/** Body of the authentication POSTs, of either generation. */
export const authenticationBody = z.preprocess(
  named,
  z.discriminatedUnion('generation', [flatAuthentication, nestedAuthentication]),
);

/** Body of the signature POSTs, of either generation. */
export const signatureBody = z.preprocess(
  named,
  z.discriminatedUnion('generation', [flatSignature, nestedSignature]),
);

export type StartBody = z.output<typeof authenticationBody> | z.output<typeof signatureBody>;

import { z } from 'zod';

/** How a session-creating body can be told apart (contract §1). */
export function detectGeneration(body: unknown): 'G1' | 'G2' {
  const { interactions, signatureProtocolParameters } = Object(body) as Record<string, unknown>;
  const isNested =
    typeof interactions === 'string' ||
    (typeof signatureProtocolParameters === 'object' && signatureProtocolParameters !== null);
  return isNested ? 'G2' : 'G1';
}

/** Lets bodies of supported generations through to their schema and names the generation of others. */
export const supportedGeneration = z.unknown().superRefine((body, context) => {
  if (detectGeneration(body) === 'G1') return;
  context.addIssue({
    code: 'custom',
    path: ['interactions'],
    message:
      'This is a nested (second-generation) request. Supported: the flat generation, with interactions as an array ' +
      'and rpChallenge or digest at the top level.',
  });
});

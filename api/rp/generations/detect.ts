import { z } from 'zod';
import { commonFields } from './common.ts';
import { flatAuthentication, flatSignature } from './g1.ts';
import { certificateChoice, linkedSignature, nestedAuthentication, nestedSignature } from './g2.ts';

/** What tells bodies of earlier protocols, which are no longer served: version 2, and 3.0 with its `ACSP_V1`. */
export function outdatedField(body: object): string | null {
  if ('allowedInteractionsOrder' in body && !('interactions' in body)) {
    return 'allowedInteractionsOrder';
  }
  return (body as { signatureProtocol?: unknown }).signatureProtocol === 'ACSP_V1'
    ? 'signatureProtocol'
    : null;
}

/** How session-creating bodies are told apart (contract §1). */
export function detectGeneration(body: object): 'OUTDATED' | 'G1' | 'G2' {
  if (outdatedField(body) !== null) return 'OUTDATED';
  const { interactions, signatureProtocolParameters } = body as Record<string, unknown>;
  const isNested =
    typeof interactions === 'string' ||
    (typeof signatureProtocolParameters === 'object' && signatureProtocolParameters !== null);
  return isNested ? 'G2' : 'G1';
}

/** Says in the body which generation it is of, so that the schema of that one alone reads it and names its faults. */
function naming(generationOf: (body: object) => string) {
  return (body: unknown): unknown =>
    typeof body === 'object' && body !== null && !Array.isArray(body)
      ? Object.assign({}, body, { generation: generationOf(body) })
      : body;
}

const named = naming(detectGeneration);
const namedNested = naming((body) => (outdatedField(body) === null ? 'G2' : 'OUTDATED'));

/** Read as far as it takes to refuse it to whom it belongs. */
const outdated = z
  .looseObject({
    generation: z.literal('OUTDATED'),
    relyingPartyUUID: commonFields.relyingPartyUUID,
  })
  .transform((body) => ({ ...body, field: outdatedField(body) ?? 'signatureProtocol' }))
  .meta({ internal: true });

/** Body of the authentication POSTs, of either generation. */
export const authenticationBody = z.preprocess(
  named,
  z.discriminatedUnion('generation', [flatAuthentication, nestedAuthentication, outdated]),
);

/** Body of the signature POSTs, of either generation. */
export const signatureBody = z.preprocess(
  named,
  z.discriminatedUnion('generation', [flatSignature, nestedSignature, outdated]),
);

/** Body of a signature that continues a certificate choice; nested only, as the choice is. */
export const linkedSignatureBody = z.preprocess(
  namedNested,
  z.discriminatedUnion('generation', [linkedSignature, outdated]),
);

/** Body of the certificate choice POSTs. */
export const certificateChoiceBody = z.preprocess(
  namedNested,
  z.discriminatedUnion('generation', [certificateChoice, outdated]),
);

/** Body of the certificate query. */
export const certificateQueryBody = z.object({
  relyingPartyUUID: commonFields.relyingPartyUUID,
  relyingPartyName: commonFields.relyingPartyName,
  certificateLevel: commonFields.certificateLevel,
});

export type StartBody =
  | z.output<typeof authenticationBody>
  | z.output<typeof signatureBody>
  | z.output<typeof linkedSignatureBody>
  | z.output<typeof certificateChoiceBody>;

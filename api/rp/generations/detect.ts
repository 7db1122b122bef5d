import { z } from 'zod';
import { commonFields } from './common.ts';
import { flatAuthentication, flatSignature } from './g1.ts';
import { certificateChoice, linkedSignature, nestedAuthentication, nestedSignature } from './g2.ts';

/** Field that reveals a retired protocol: version 2, and 3.0 with its `ACSP_V1`; null: none. */
function outdatedField(body: object): string | null {
  if ('allowedInteractionsOrder' in body && !('interactions' in body)) {
    return 'allowedInteractionsOrder';
  }
  return (body as { signatureProtocol?: unknown }).signatureProtocol === 'ACSP_V1'
    ? 'signatureProtocol'
    : null;
}

/** Detects the generation of a session-creating body (contract §1). */
function detectGeneration(body: object): 'OUTDATED' | 'G1' | 'G2' {
  if (outdatedField(body) !== null) return 'OUTDATED';
  const { interactions, signatureProtocolParameters } = body as Record<string, unknown>;
  const isNested =
    typeof interactions === 'string' ||
    (typeof signatureProtocolParameters === 'object' && signatureProtocolParameters !== null);
  return isNested ? 'G2' : 'G1';
}

/**
 * Adds the detected generation to the body, so that only its own schema parses it and reports
 * faults.
 */
function naming(generationOf: (body: object) => string) {
  return (body: unknown): unknown =>
    typeof body === 'object' && body !== null && !Array.isArray(body)
      ? { ...body, generation: generationOf(body) }
      : body;
}

const named = naming(detectGeneration);
const namedNested = naming((body) => (outdatedField(body) === null ? 'G2' : 'OUTDATED'));

/** Body of a retired protocol, parsed only as far as the refusal needs the relying party. */
const outdated = z
  .looseObject({
    generation: z.literal('OUTDATED'),
    relyingPartyUUID: commonFields.relyingPartyUUID,
  })
  .transform((body) => ({ ...body, field: outdatedField(body) ?? 'signatureProtocol' }))
  .meta({ internal: true });

/** Body of the authentication POSTs of both generations. */
export const authenticationBody = z.preprocess(
  named,
  z.discriminatedUnion('generation', [flatAuthentication, nestedAuthentication, outdated]),
);

/** Body of the signature POSTs of both generations. */
export const signatureBody = z.preprocess(
  named,
  z.discriminatedUnion('generation', [flatSignature, nestedSignature, outdated]),
);

/** Body of a signature that continues a certificate choice; second generation only. */
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

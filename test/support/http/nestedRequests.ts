import { randomBytes } from 'node:crypto';

/** Interactions as nested bodies carry them. */
export function encoded(interactions: unknown): string {
  return Buffer.from(JSON.stringify(interactions)).toString('base64');
}

export const nestedInteractions = encoded([
  { type: 'displayTextAndPIN', displayText60: 'Нэвтрэх үү?' },
]);

interface Parameters {
  readonly signatureAlgorithm?: string;
  readonly hashAlgorithm?: string;
}

function algorithmOf({ signatureAlgorithm, hashAlgorithm }: Parameters): object {
  return {
    ...(signatureAlgorithm === undefined ? {} : { signatureAlgorithm }),
    ...(hashAlgorithm === undefined ? {} : { signatureAlgorithmParameters: { hashAlgorithm } }),
  };
}

/** A valid nested authentication; `changes` to the body. */
export function nestedAuthenticationBody(
  relyingPartyUUID: string,
  parameters: Parameters & { readonly rpChallenge?: string } = {},
  changes: object = {},
) {
  return {
    relyingPartyUUID,
    relyingPartyName: 'DEMO',
    signatureProtocol: 'ACSP_V2',
    signatureProtocolParameters: {
      rpChallenge: parameters.rpChallenge ?? randomBytes(64).toString('base64'),
      ...algorithmOf(parameters),
    },
    interactions: nestedInteractions,
    ...changes,
  };
}

/** A valid nested signature; `changes` to the body. */
export function nestedSignatureBody(
  relyingPartyUUID: string,
  parameters: Parameters & { readonly digest?: string } = {},
  changes: object = {},
) {
  return {
    relyingPartyUUID,
    relyingPartyName: 'DEMO',
    signatureProtocol: 'RAW_DIGEST_SIGNATURE',
    signatureProtocolParameters: {
      digest: parameters.digest ?? randomBytes(32).toString('base64'),
      ...algorithmOf(parameters),
    },
    interactions: nestedInteractions,
    ...changes,
  };
}

import { clients } from './clients.ts';
import type { Values } from './ids.ts';
import { operators } from './operators.ts';
import { people } from './people.ts';
import { relyingParties } from './relyingParties.ts';

/**
 * Values of fields in examples: by name, or by the name behind those of what it is in, from inside to outside
 * (`Problem.type` before `type`). Texts are whole but for secrets, certificates and signatures, which end with `…`.
 */
export const fieldValues: Values = { ...relyingParties, ...people, ...operators, ...clients };

/** Fields that an answer does not have beside the others of its example. */
export const leftOut: Readonly<Record<string, true>> = {
  // Of a refusal, of a batch, and of an RSA key.
  'SessionResult.details': true,
  'CompleteSession.signatures': true,
  'SessionSignature.signatureAlgorithmParameters': true,
};

/** Values of {@link EndResult}. */
export const endResults = [
  'OK',
  'TIMEOUT',
  'USER_REFUSED',
  'USER_REFUSED_INTERACTION',
  'USER_REFUSED_DISPLAYTEXTANDPIN',
  'USER_REFUSED_VC_CHOICE',
  'USER_REFUSED_CONFIRMATIONMESSAGE',
  'USER_REFUSED_CERT_CHOICE',
  'USER_REFUSED_NOT_ME',
  'WRONG_VC',
  'DOCUMENT_UNUSABLE',
  'PROTOCOL_FAILURE',
  'REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP',
  'EXPECTED_LINKED_SESSION',
  'SERVER_ERROR',
  'CANCELLED_BY_RP',
  'UNKNOWN',
] as const;

/**
 * End of a session (contract §3): `OK`; `TIMEOUT`; `USER_REFUSED` and its variants (`USER_REFUSED_NOT_ME`: do not ask
 * this citizen by push for now); `WRONG_VC`; failures of phone and service. `UNKNOWN`: one that this version of the
 * library does not know, a failure like any other; `onCall` shows it as received.
 */
export type EndResult = (typeof endResults)[number];

/** Reads an end result; null while the session runs. A refusal of a newer service is `USER_REFUSED`. */
export function readEndResult(received: string | null): EndResult | null {
  if (received === null) return null;
  const known = endResults.find((each) => each === received);
  return known ?? (received.startsWith('USER_REFUSED_') ? 'USER_REFUSED' : 'UNKNOWN');
}

/** The ways to verify an identity for enrolment (specification, `GET /v3/kyc/methods`). */
export const verificationMethods = [
  { method: 'citizenCard', available: true },
  { method: 'dan', available: false, reason: 'not_configured' },
  { method: 'gsign', available: false, reason: 'not_configured' },
  { method: 'passport', available: false, reason: 'not_configured' },
] as const;

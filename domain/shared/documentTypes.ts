// Storage format: see domain/shared/defineEvents.ts.

/** Type of an organization's document (contract §11, `doc_type`). */
export const documentTypes = ['CONTRACT', 'REQUEST', 'APPROVAL'] as const;

export type DocumentType = (typeof documentTypes)[number];

/** Signing rails: an eID of this platform, or the national DAN service. */
export const signingRails = ['EID', 'DAN'] as const;

export type SigningRail = (typeof signingRails)[number];

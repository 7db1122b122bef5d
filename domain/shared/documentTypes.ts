// Storage format: see domain/session/events.ts.

/** What a document of an organization is (contract §11, `doc_type`). */
export const documentTypes = ['CONTRACT', 'REQUEST', 'APPROVAL'] as const;

export type DocumentType = (typeof documentTypes)[number];

/** The ways a document can be signed: with an eID of this platform, or through the national DAN service. */
export const signingRails = ['EID', 'DAN'] as const;

export type SigningRail = (typeof signingRails)[number];

// Ids of examples, each the same wherever it stands.

export const UUID = '9b2f7d1c-53a4-4f7e-8a60-2f4f6d0b9c11';
export const RELYING_PARTY = '6d3f1f0e-2b6a-4c1d-9a53-0c8a6b1f7e21';
export const OPERATOR = '2d4c9a70-6f0e-4b7d-9c55-31a7f0a4c8d2';
export const CLIENT = '1f0c6f3a-90f1-4a8e-9f2b-0b1d3b7c5e44';
export const SERIAL = '4bab3fc2d1e05f7a9c6833b01e5d7742';
export const PERSON = 'PNOMN-110000000001';

/** Values of fields, or null where the example has none. */
export type Values = Readonly<Record<string, string | null>>;

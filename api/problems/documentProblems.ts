import { w } from './wire.ts';

/** Problems of documents and their signatures; part of the table in `problems.ts`. */
export const documentProblems = {
  DOCUMENT_FROZEN: w(
    409,
    'Document frozen',
    'The document was signed or rejected; neither its file nor its signatures change any more.',
  ),
  SIGNING_UNDER_WAY: w(
    409,
    'Signing under way',
    'Somebody is being asked to sign this document; wait until that has ended.',
  ),
  NOT_THE_SIGNER: w(403, 'Not the signer', 'It is the turn of another signer.'),
  SIGNER_NOT_NAMED: w(
    409,
    'Signer not named',
    'Policy asks for named signers, and this document names none here; make one that does.',
  ),
  ALREADY_SIGNED: w(409, 'Signed already', 'This person has signed the document already.'),
  SIGNING_RAIL_UNAVAILABLE: w(
    409,
    'Signing rail unavailable',
    'Documents of this type cannot be signed this way; ask for the signing rails.',
  ),
  FILE_ERASED: w(
    410,
    'File erased',
    'Somebody of the document was forgotten, and no signature made its file evidence of others.',
  ),
  FILE_INFECTED: w(422, 'File infected', 'A virus was found in the file; it was not kept.'),
} as const;

import { w } from './wire.ts';

/** Problems of documents and their signatures; part of the table in `problems.ts`. */
export const documentProblems = {
  DOCUMENT_FROZEN: w(
    409,
    'Document frozen',
    'The document was signed or rejected. Its file and signatures can no longer change.',
  ),
  SIGNING_UNDER_WAY: w(
    409,
    'Signing under way',
    'A signer is being asked to sign this document. Wait until that has ended.',
  ),
  NOT_THE_SIGNER: w(403, 'Not the signer', 'It is the turn of another signer.'),
  SIGNER_NOT_NAMED: w(
    409,
    'Signer not named',
    'The policy requires named signers, but this document names none. Create a document that names its signers.',
  ),
  ALREADY_SIGNED: w(409, 'Signed already', 'This person has already signed the document.'),
  SIGNING_RAIL_UNAVAILABLE: w(
    409,
    'Signing rail unavailable',
    'Documents of this type cannot be signed this way; see the signing rails.',
  ),
  FILE_ERASED: w(
    410,
    'File erased',
    'The file was erased, because a person of this document was forgotten and no signature made the file evidence for others.',
  ),
  FILE_INFECTED: w(422, 'File infected', 'A virus was found in the file. The file was not stored.'),
} as const;

import { w } from './wire.ts';

/** Problems of sessions, devices and signatures; part of the table in `problems.ts`. */
export const sessionProblems = {
  ORG_NOT_ACTIVE: w(409, 'Organization not active', 'The organization is not active.'),
  SEAL_NOT_ALLOWED: w(
    403,
    'Seal not allowed',
    'This relying party may not seal for this organization; ask the operators of the service to allow it.',
  ),
  ORG_NOT_FOUND: w(404, 'Organization not found', 'There is no such organization.'),
  PERSON_NOT_FOUND: w(404, 'Person not found', 'No enrolled person has this identifier.'),
  DOCUMENT_NOT_FOUND: w(404, 'Document not found', 'There is no device with this document number.'),
  NO_SUITABLE_CERTIFICATE: w(
    404,
    'No suitable certificate',
    'There is no usable certificate of the requested level.',
  ),
  SESSION_NOT_FOUND: w(404, 'Session not found', 'There is no such session, or it has expired.'),
  SESSION_NOT_COMPLETE: w(409, 'Session not complete', 'The citizen has not answered yet.'),
  SESSION_ALREADY_COMPLETE: w(
    409,
    'Session already complete',
    'The session already has its outcome.',
  ),
  SESSION_ALREADY_CLAIMED: w(
    409,
    'Session already taken',
    'Another phone has already taken this session.',
  ),
  SESSION_EXPIRED: w(410, 'Session expired', 'The time to answer this session has passed.'),
  DEVICE_LINK_INVALID: w(
    422,
    'Device link invalid',
    'The link is not a signed device link of version 1.0, or was not made for this session.',
  ),
  DEVICE_LINK_EXPIRED: w(
    410,
    'Device link expired',
    'A QR link is valid for 20 seconds; scan the one shown now.',
  ),
  SIGNATURE_INVALID: w(
    422,
    'Signature invalid',
    'The signature does not verify with the certified key over the payload of this session.',
  ),
  DEVICE_PROOF_INVALID: w(
    401,
    'Device proof invalid',
    "The proof of the device's key is missing, wrong or too old.",
  ),
  DEVICE_PROOF_REPLAYED: w(
    401,
    'Device proof replayed',
    'This proof was already used; make a new one for every request.',
  ),
  DEVICE_NOT_ACTIVE: w(403, 'Device not active', 'The device was deactivated.'),
  DIGEST_MISMATCH: w(
    422,
    'Digest mismatch',
    'The digest of the content is not the digest that was signed.',
  ),
  NOT_A_PDF: w(415, 'Not a PDF', 'Send the bytes of a PDF file; they begin with %PDF-.'),
  PDF_ENCRYPTED: w(422, 'PDF encrypted', 'The PDF is encrypted; send it without protection.'),
  PDF_DAMAGED: w(422, 'PDF damaged', 'The PDF is incomplete or its structure is broken.'),
  PDF_LOCKED: w(
    422,
    'PDF locked',
    'A signature in the PDF forbids further changes; nothing can be added to it.',
  ),
  PDF_NOT_SUPPORTED: w(
    422,
    'PDF not supported',
    'The PDF uses a feature that cannot be stamped, such as an XFA form.',
  ),
  PREPARED_DOCUMENT_NOT_FOUND: w(
    404,
    'Prepared document not found',
    'No document you prepared is waiting for this signature; it may have expired. Prepare it again.',
  ),
  PREPARED_FOR_OTHER_SIGNER: w(
    409,
    'Prepared for another signer',
    'The document was prepared for a certificate other than the one that signed.',
  ),
} as const;

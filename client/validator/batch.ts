import { ValidationError } from '../errors.ts';
import type { BatchDocument, SessionResult } from '../types.ts';

/**
 * Results of single signatures that the result of a batch stands for, in the order of the documents.
 *
 * @throws ValidationError RESPONSE_INCOMPLETE unless an OK has one signature for each document, in their order
 */
export function singleResults(
  result: SessionResult,
  documents: readonly BatchDocument[],
): readonly SessionResult[] {
  const { signatures, endResult } = result;
  const isInOrder = documents.every(({ digest }, index) => signatures[index]?.digest === digest);
  if (endResult === 'OK' && !(isInOrder && signatures.length === documents.length)) {
    throw new ValidationError(
      'RESPONSE_INCOMPLETE',
      'The answer has not one signature for each document, in their order.',
    );
  }
  return documents.map((_, index) => ({ ...result, ...signatures[index] }));
}

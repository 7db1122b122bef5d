import { contentDigest, type DocumentRecord, formatOf } from '../../domain/document/document.ts';
import type { MadeDocuments } from '../stamp/madeDocuments.ts';
import type { DocumentFiles, IncomingFile } from './documentFiles.ts';
import type { Recognition } from './ports/documentInspection.ts';

/**
 * Compares a file with the signed files of a document: what its signatures cover, its signed copies, and those the
 * platform made of them.
 *
 * @throws Refusal INVALID_REQUEST; Unavailable, Overloaded
 */
export async function recogniseFile(
  dependencies: {
    readonly files: Pick<DocumentFiles, 'recognise'>;
    readonly madeDocuments: Pick<MadeDocuments, 'madeOf'>;
  },
  document: DocumentRecord,
  file: IncomingFile,
): Promise<Recognition> {
  const { files, madeDocuments } = dependencies;
  const { signatures } = document;
  const copies = signatures.flatMap(({ signedFile }) => signedFile?.sha256 ?? []);
  // A signed PDF contains its signatures, so the file without them is not recognised.
  const isDetached = formatOf(document) !== 'pades' && signatures.length > 0;
  const signed = isDetached ? [contentDigest(document), ...copies] : copies;
  const made = await madeDocuments.madeOf([
    ...signatures.map(({ sessionId }) => sessionId),
    ...signed,
  ]);
  return files.recognise(file, [...new Set([...signed, ...made])]);
}

import type { Recognition } from '../../application/document/ports/documentInspection.ts';
import { compareFile } from '../../client/signedFile.ts';

/** Compares a file with whole files. @param signed their SHA-256, lower-case hexadecimal */
export function recognise(file: Uint8Array, signed: readonly string[]): Recognition {
  const known = signed.map((sha256) => ({ digestB64: convert(sha256, 'hex', 'base64') }));
  const compared = compareFile(file, known);
  if (compared.result === 'OTHER') return { result: 'other' };
  const sha256 = convert(compared.known.digestB64, 'base64', 'hex');
  if (compared.result === 'WHOLE') return { result: 'signed', sha256 };
  const { signedPart, added, addedBytes, replacedObjects } = compared;
  const signedBytes = signedPart.length;
  return { result: 'altered', sha256, signedBytes, added, addedBytes, replacedObjects };
}

function convert(text: string, from: BufferEncoding, to: BufferEncoding): string {
  return Buffer.from(text, from).toString(to);
}

import {
  type Check,
  digest,
  fileName,
  hashType,
  listOf,
  objectWith,
  optional,
  textUpTo,
} from './arguments.ts';
import { decodeBase64 } from './crypto.ts';
import { ConfigurationError } from './errors.ts';

/** Lengths of digests, bytes. */
const digestLengths = { SHA256: 32, SHA384: 48, SHA512: 64 };

interface Digest {
  readonly digest: string;
  readonly hashType?: keyof typeof digestLengths;
}

/** A document of a batch, its digest in canonical base64: the same bytes are the same text. */
const batchDocument: Check = (value, name) => {
  objectWith({
    digest,
    hashType: optional(hashType),
    displayText60: textUpTo(60),
    fileName: optional(fileName),
  })(value, name);
  const { digest: sent, hashType: hash = 'SHA256' } = value as Digest;
  if (decodeBase64(sent)?.length !== digestLengths[hash]) {
    const wanted = `base64 of ${digestLengths[hash]} bytes, the length of ${hash}`;
    throw new ConfigurationError(`${name}.digest must be ${wanted}.`);
  }
};

/** Documents of a batch, 2 to 20, each at most once. */
export const batchDocuments: Check = (value, name) => {
  listOf(batchDocument)(value, name);
  const documents = value as readonly Digest[];
  const { length } = documents;
  if (length < 2 || length > 20) {
    throw new ConfigurationError(`${name} has ${length} documents; it may have 2 to 20.`);
  }
  if (new Set(documents.map(({ digest: sent }) => sent)).size < length) {
    throw new ConfigurationError(`${name} has a digest twice.`);
  }
};

import type { PersonalDataVault } from '../../application/ports/personalDataVault.ts';
import type { Identity } from '../../domain/citizen/events.ts';

/** Letters of a word that are indexed. */
const MAX_LETTERS = 24;
/** Words of a search at most; further ones are ignored. */
const MAX_WORDS = 8;
/** Words whose fingerprints are cached at most. */
const REMEMBERED = 20_000;
/** Bytes of a fingerprint: enough to distinguish all words of all names. */
const FINGERPRINT_BYTES = 6;

type Fingerprints = Pick<PersonalDataVault, 'blindIndex'>;

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Words, and the punctuation of names, only. */
const NAMES = /^[\p{L}\p{M}\p{N}\p{Pd}\s.,'’]+$/u;

/** Words of a name or a search: lower case, without punctuation. */
function wordsOf(text: string): readonly string[] {
  const folded = text.normalize('NFC').toLowerCase();
  return Array.from(folded.matchAll(WORD), ([word]) =>
    Array.from(word).slice(0, MAX_LETTERS).join(''),
  );
}

/** Fingerprint of a word or prefix; 8 letters of base64url, which need no quoting in PostgreSQL. */
function fingerprintOf(vault: Fingerprints, text: string): string {
  const hex = vault.blindIndex('nameWord', text);
  return Buffer.from(hex.slice(0, 2 * FINGERPRINT_BYTES), 'hex').toString('base64url');
}

/** By vault, then by word: names repeat, and a rebuild fingerprints all of them. */
const remembered = new WeakMap<Fingerprints, Map<string, readonly string[]>>();

/** Fingerprints of a word and all its prefixes. */
function beginningsOf(vault: Fingerprints, word: string): readonly string[] {
  let known = remembered.get(vault);
  if (known === undefined || known.size >= REMEMBERED) {
    known = new Map<string, readonly string[]>();
    remembered.set(vault, known);
  }
  const found = known.get(word);
  if (found !== undefined) return found;
  const letters = Array.from(word);
  const made = letters.map((_, at) => fingerprintOf(vault, letters.slice(0, at + 1).join('')));
  known.set(word, made);
  return made;
}

/**
 * Indexes a person's names without storing them: fingerprints, under a key derived from the master key, of every word
 * of the names, Cyrillic and Latin, and of all prefixes. A name of several words (Бат-Эрдэнэ) is also indexed as one.
 *
 * @returns a `tsvector`
 */
export function nameIndex(vault: Fingerprints, identity: Identity): string {
  const { givenName, surname, familyName, givenNameLatin, surnameLatin } = identity;
  const found = new Set<string>();
  for (const name of [givenName, surname, familyName, givenNameLatin, surnameLatin]) {
    const words = wordsOf(name);
    for (const word of [...words, ...wordsOf(words.join(''))]) {
      for (const beginning of beginningsOf(vault, word)) found.add(beginning);
    }
  }
  return [...found].sort().join(' ');
}

/** A search for names, as a `tsquery`: every word must be a prefix of a word of the person's names. Null: not names. */
export function nameQuery(vault: Fingerprints, text: string): string | null {
  const words = new Set(NAMES.test(text) ? wordsOf(text) : []);
  if (words.size === 0) return null;
  return [...words]
    .slice(0, MAX_WORDS)
    .map((word) => fingerprintOf(vault, word))
    .join(' & ');
}

import { latinRegister } from './latinRegister.ts';

/** Longest slug suggested, characters. */
const LONGEST = 40;

/**
 * What an organization may be called in an address: small Latin letters and digits, words apart by hyphens. Made of the
 * name, else of the registration number. Two organizations may get the same one.
 */
export function suggestedSlug(name: string, register: string): string {
  return slugOf(name) || slugOf(register) || 'organization';
}

function slugOf(text: string): string {
  const words = text
    .normalize('NFC')
    .toUpperCase()
    .split(/[^\p{L}\p{N}]+/u)
    .map((word) => (latinRegister(word) ?? '').toLowerCase())
    .filter((word) => word !== '');
  let slug = words[0]?.slice(0, LONGEST) ?? '';
  for (const word of words.slice(1)) {
    if (slug.length + 1 + word.length > LONGEST) break;
    slug += `-${word}`;
  }
  return slug;
}

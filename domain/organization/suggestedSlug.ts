import { latinRegister } from './latinRegister.ts';

/** Longest suggested slug, characters. */
const LONGEST = 40;

/**
 * Suggests a URL slug for an organization: small Latin letters and digits, words separated by hyphens. Derived from the
 * name, or else from the registration number. Not necessarily unique.
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

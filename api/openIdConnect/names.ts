import type { Language } from '../verify/texts.ts';

/** Name of a client in the given language. */
export function nameOf(
  { name, nameEn }: { readonly name: string; readonly nameEn: string | null },
  language: Language,
): string {
  return language === 'en' ? (nameEn ?? name) : name;
}

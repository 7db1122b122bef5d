import type { Language } from '../verify/texts.ts';

/** A client's name as its operators wrote it for readers of this language. */
export function nameOf(
  { name, nameEn }: { readonly name: string; readonly nameEn: string | null },
  language: Language,
): string {
  return language === 'en' ? (nameEn ?? name) : name;
}

import type { BankSettings } from '../settings.ts';
import type { Excerpt } from '../sources.ts';
import { type Language, texts, type Texts } from '../texts/index.ts';
import type { Visitor } from '../visitors.ts';

/** Input of every page. */
export interface View {
  readonly settings: BankSettings;
  readonly excerpts: ReadonlyMap<string, Excerpt>;
  readonly visitor: Visitor;
  readonly language: Language;
  readonly t: Texts;
}

export function viewOf(bank: Pick<View, 'settings' | 'excerpts'>, visitor: Visitor): View {
  const { language } = visitor;
  return {
    settings: bank.settings,
    excerpts: bank.excerpts,
    visitor,
    language,
    t: texts[language],
  };
}

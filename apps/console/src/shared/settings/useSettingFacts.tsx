import type { ReactNode } from 'react';
import { sharedTexts } from '../sharedTexts.ts';
import { type Texts, useTexts } from '../texts.ts';
import { Entries, type Fact } from '../ui/parts.tsx';
import type { Setting, Settings, Values } from './settings.ts';

/** Facts of a record by its settings. @param others values the area words itself */
export type SettingFacts<Of extends Settings> = (
  record: Values<Of>,
  others?: Readonly<Partial<Record<keyof Of & string, ReactNode>>>,
) => readonly Fact[];

/**
 * Facts of a record, one for each setting, in the order of their declaration.
 *
 * @param isShown false for those shown elsewhere
 */
export function useSettingFacts<Of extends Settings>(
  settings: Of,
  texts: Texts<keyof Of & string>,
  isShown: (name: keyof Of & string, setting: Setting) => boolean,
): SettingFacts<Of> {
  const t = useTexts<string>(texts);
  const s = useTexts(sharedTexts);

  function shown({ kind, otherwise, fieldOf }: Setting, value: unknown): ReactNode {
    const none = otherwise === null ? '—' : t(otherwise);
    if (kind === 'list') {
      const lines = (fieldOf(value) as string).split('\n').filter((line) => line !== '');
      return <Entries entries={lines} otherwise={none} />;
    }
    if (Array.isArray(value)) return <Entries entries={value as string[]} otherwise={none} />;
    if (kind === 'flag') return s(value === true ? 'yes' : 'no');
    return (value ?? none) as ReactNode;
  }

  return (record, others) => {
    const worded: Readonly<Partial<Record<string, ReactNode>>> = others ?? {};
    return Object.entries(settings)
      .filter(([name, setting]) => isShown(name, setting))
      .map(([name, setting]) => ({
        label: t(name),
        value: name in worded ? worded[name] : shown(setting, record[name]),
      }));
  };
}

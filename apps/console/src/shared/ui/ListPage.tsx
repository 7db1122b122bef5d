import type { ReactNode } from 'react';
import { type Texts, useTexts } from '../texts.ts';
import type { SearchField } from '../useListSearch.ts';
import { FilterBar } from './FilterBar.tsx';
import { PageHeader } from './parts.tsx';

/** A list: what it is, a search, filters and the table. */
export function ListPage({
  texts,
  actions,
  search,
  filters,
  children,
}: {
  /** Of the area: title, a sentence on it, what is searched and, where it is there, `hint`: fields that are. */
  readonly texts: Texts<'nav' | 'lead' | 'search'>;
  readonly actions?: ReactNode;
  readonly search: SearchField;
  readonly filters?: ReactNode;
  readonly children: ReactNode;
}) {
  const t = useTexts<string>(texts);
  return (
    <>
      <PageHeader title={t('nav')} lead={t('lead')} actions={actions} />
      <FilterBar
        {...search}
        placeholder={t('search')}
        {...('hint' in texts.keys && { hint: t('hint') })}
      >
        {filters}
      </FilterBar>
      {children}
    </>
  );
}

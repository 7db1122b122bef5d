import { defineTexts, useTexts } from '../texts.ts';

/** Causes of events that cannot be projected, by what their errors have in common. */
const causeTexts = defineTexts({
  mn: {
    newer: 'Шинэ хувилбар бичсэн үйл явдал',
    value: 'Өгөгдлийн сан утгыг хүлээж аваагүй ({{error}})',
    schema: 'Өгөгдлийн сангийн хүснэгт эсвэл багана таарахгүй байна ({{error}})',
    database: 'Өгөгдлийн сан алдаа заасан ({{error}})',
    program: 'Програмын алдаа ({{error}})',
  },
  en: {
    newer: 'A newer release wrote the event',
    value: 'The database refused a value ({{error}})',
    schema: 'A table or column of the database is not as expected ({{error}})',
    database: 'The database reported an error ({{error}})',
    program: 'A fault of the program ({{error}})',
  },
});

/** Classes of SQLSTATE (PostgreSQL, appendix A): data exception, integrity constraint violation, access rule violation. */
const causes: Readonly<Record<string, 'value' | 'schema'>> = {
  22: 'value',
  23: 'value',
  42: 'schema',
};

/** Says in words why an event cannot be projected; null: not known. */
export function useCause(): (error: string | null) => string {
  const t = useTexts(causeTexts);
  return (error) => {
    if (error === 'EventOfNewerRelease') return t('newer');
    const [, state] = /^error ([0-9A-Z]{5})\b/u.exec(error ?? '') ?? [];
    const cause = state === undefined ? 'program' : (causes[state.slice(0, 2)] ?? 'database');
    return t(cause, { error: (error ?? '—').replace(/^error /u, '') });
  };
}

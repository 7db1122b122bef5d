import { defineTexts } from '../texts.ts';

export const chartTexts = defineTexts({
  mn: { asTable: 'Хүснэгтээр харах' },
  en: { asTable: 'Show as a table' },
});

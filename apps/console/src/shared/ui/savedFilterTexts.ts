import { defineTexts } from '../texts.ts';

export const savedFilterTexts = defineTexts({
  mn: {
    savedFilters: 'Хадгалсан шүүлтүүр',
    saveFilters: 'Энэ шүүлтүүрийг хадгалах',
    filterName: 'Шүүлтүүрийн нэр',
    noSavedFilters: 'Энэ хөтөчид хадгалсан шүүлтүүр алга.',
    removeFilter: 'Устгах: {{name}}',
  },
  en: {
    savedFilters: 'Saved filters',
    saveFilters: 'Save these filters',
    filterName: 'Name of the filters',
    noSavedFilters: 'No filters are saved in this browser.',
    removeFilter: 'Remove: {{name}}',
  },
});

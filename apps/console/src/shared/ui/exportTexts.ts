import { defineTexts } from '../texts.ts';

export const exportTexts = defineTexts({
  mn: {
    export: 'Татах',
    exportCsv: 'CSV',
    exportExcel: 'Excel-д зориулсан CSV',
    exporting: '{{count}} мөр уншсан',
    exported: '{{count}} мөр татсан',
    exportedPart: 'Эхний {{count}} мөрийг татсан: үлдсэнийг шүүлтүүрээр нарийсгаж татна уу',
  },
  en: {
    export: 'Export',
    exportCsv: 'CSV',
    exportExcel: 'CSV for Excel',
    exporting: '{{count}} rows read',
    exported: '{{count}} rows exported',
    exportedPart:
      'Only the first {{count}} rows were exported. Narrow the filters to get the others',
  },
});

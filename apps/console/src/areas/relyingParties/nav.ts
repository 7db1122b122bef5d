/** Name of the area: all that the menu says of it. */
export const nav = { mn: { nav: 'Итгэгч талууд' }, en: { nav: 'Relying parties' } } as const;

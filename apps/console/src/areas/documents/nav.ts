/** Name of the area: all that the menu says of it. */
export const nav = { mn: { nav: 'Баримтууд' }, en: { nav: 'Documents' } } as const;

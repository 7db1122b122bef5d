/** Name of the area: all that the menu says of it. */
export const nav = { mn: { nav: 'Системийн төлөв' }, en: { nav: 'System status' } } as const;

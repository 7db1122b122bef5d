/** Name of the area: all that the menu says of it. */
export const nav = { mn: { nav: 'Иргэд' }, en: { nav: 'Citizens' } } as const;

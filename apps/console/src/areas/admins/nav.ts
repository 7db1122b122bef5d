/** Name of the area: all that the menu says of it. */
export const nav = { mn: { nav: 'Операторууд' }, en: { nav: 'Operators' } } as const;

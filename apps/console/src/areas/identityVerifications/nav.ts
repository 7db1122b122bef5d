/** Name of the area: all that the menu says of it. */
export const nav = { mn: { nav: 'Биеийн байцаалт' }, en: { nav: 'Identity checks' } } as const;

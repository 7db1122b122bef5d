/** Name of the area: all that the menu says of it. */
export const nav = { mn: { nav: 'Байгууллага' }, en: { nav: 'Organizations' } } as const;

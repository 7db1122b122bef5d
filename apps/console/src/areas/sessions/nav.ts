/** Name of the area: all that the menu says of it. */
export const nav = { mn: { nav: 'Сессүүд' }, en: { nav: 'Sessions' } } as const;

/** Name of the area: all that the menu says of it. */
export const nav = { mn: { nav: 'Статистик' }, en: { nav: 'Statistics' } } as const;

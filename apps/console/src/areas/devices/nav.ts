/** Name of the area: all that the menu says of it. */
export const nav = { mn: { nav: 'Төхөөрөмж' }, en: { nav: 'Devices' } } as const;

/** Name of the area: all that the menu says of it. */
export const nav = { mn: { nav: 'Зөвшөөрөл' }, en: { nav: 'Approvals' } } as const;

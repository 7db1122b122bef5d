/** Name of the area: all that the menu says of it. */
export const nav = { mn: { nav: 'Бүртгэл оруулах' }, en: { nav: 'Import registers' } } as const;

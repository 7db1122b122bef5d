/** Name of the area: all that the menu says of it. */
export const nav = { mn: { nav: 'OpenID клиентүүд' }, en: { nav: 'OpenID clients' } } as const;

/** Names of the two pages in the menu. */
export const nav = {
  chat: { mn: { nav: 'Туслах' }, en: { nav: 'Assistant' } },
  knowledge: { mn: { nav: 'Мэдлэгийн сан' }, en: { nav: 'Knowledge base' } },
} as const;

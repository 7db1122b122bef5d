import { scriptless } from '../api/pages/scriptless.ts';

const EMPTY = '<div id="root"></div>';

/** Vite plugin: what the page shows until its bundle fills it. */
export const scriptlessNotice = {
  name: 'scriptless-notice',
  transformIndexHtml: (page: string) =>
    page.replace(EMPTY, `<div id="root">${scriptless.text}</div>`),
};

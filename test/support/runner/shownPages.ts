/** File in which tests of pages leave what was shown when they failed; the reporter ends with it. */
export const SHOWN_PAGES = 'dist/test-artefacts/shown-pages.txt';

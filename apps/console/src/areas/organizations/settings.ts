import { line, name } from '../../shared/settings/settings.ts';

/** Settings a registration fixes, each with how it is edited and shown; its words are in texts.ts. */
export const settings = { name: name(), nameLatin: line() };

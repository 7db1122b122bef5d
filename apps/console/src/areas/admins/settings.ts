import type { Role } from '../../shared/account.ts';
import { name, other } from '../../shared/settings/settings.ts';

/** Settings of an operator, each with how it is edited and shown; its words are in texts.ts. */
export const settings = { email: name(), role: other<Role>('SUPPORT') };

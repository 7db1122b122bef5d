import { expand } from './statements.ts';

/** Marks sessions that are logins of OpenID Connect clients: their relying parties are not shown them. */
export const openIdLogins = expand([
  `alter table session_view add column openid_login boolean not null default false`,
]);

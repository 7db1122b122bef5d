import { expand } from './statements.ts';

/** Contact of a relying party, for operators. */
export const relyingPartyContact = expand([
  `alter table relying_party_view
    add column contact_name text,
    add column contact_email text,
    add column contact_phone text`,
]);

import { expand } from './statements.ts';

/**
 * A software key of a release of before the rotation has no version byte: of those for elliptic curves, whose PKCS #8 is
 * of one length, that tells it, whatever its first byte is. Of RSA keys, which differ in length, 255 of 256 are refused.
 */
export const formerSoftwareKeys = expand([
  `create or replace function refuse_former_software_key() returns trigger language plpgsql as $$
  declare current smallint;
  begin
    select generation into current from wrapping_generation for share;
    if current > 0 and exists (
      select from added where get_byte(sealed, 0) <> current
        or length(sealed) = case type when 'P-256' then 166 when 'P-384' then 213 end
    ) then
      raise exception 'A key wrapped under a former master key is not stored: a release of before the rotation runs.';
    end if;
    return null;
  end $$`,
]);

import { expand } from './statements.ts';

/** Master keys of the installation by generation, and the one that new keys are wrapped under (ADR 70). */
export const masterKeys = expand([
  `create table master_key (
    generation smallint primary key check (generation between 0 and 255),
    mark text not null,
    derivation_key bytea not null
  )`,
  // One row that writers of wrapped keys hold while they write: it is changed by a rotation alone.
  `create table wrapping_generation (
    singleton boolean primary key default true check (singleton),
    generation smallint not null
  )`,
  `insert into wrapping_generation (generation) values (0)`,
  // A release of before the first rotation wraps under the first master key whatever the generation is, and does not know
  // that nothing will open it. Keys that a forgotten person's partition is rewritten with pass, as only the parent is watched.
  `create function refuse_former_person_key() returns trigger language plpgsql as $$
  declare current smallint;
  begin
    select generation into current from wrapping_generation for share;
    if current > 0 and exists (
      select from added where wrapped_key is not null
        and case when length(wrapped_key) = 60 then 0 else get_byte(wrapped_key, 0) end <> current
    ) then
      raise exception 'A key wrapped under a former master key is not stored: a release of before the rotation runs.';
    end if;
    return null;
  end $$`,
  `create trigger refuse_former after insert on person_key referencing new table as added
    for each statement execute function refuse_former_person_key()`,
  // The first byte of one of before is random: of 256 such keys, 255 are refused.
  `create function refuse_former_software_key() returns trigger language plpgsql as $$
  declare current smallint;
  begin
    select generation into current from wrapping_generation for share;
    if current > 0 and exists (select from added where get_byte(sealed, 0) <> current) then
      raise exception 'A key wrapped under a former master key is not stored: a release of before the rotation runs.';
    end if;
    return null;
  end $$`,
  `create trigger refuse_former after insert on software_key referencing new table as added
    for each statement execute function refuse_former_software_key()`,
]);

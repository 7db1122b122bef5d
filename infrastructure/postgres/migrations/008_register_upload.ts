import { expand } from './statements.ts';

/** Files of registers that operators uploaded, until they were imported or nobody may import them any more. */
export const registerUpload = expand([
  `create table register_upload (
    register text not null,
    digest text not null,
    format text not null,
    -- Null once it was imported.
    sealed text,
    uploaded_at timestamptz not null,
    primary key (register, digest)
  )`,
  `create index register_upload_age on register_upload (uploaded_at)`,
]);

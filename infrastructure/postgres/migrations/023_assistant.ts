import { inStatements } from './statements.ts';

/** The assistant's prompts, its knowledge base, and the vectors to search it. */
export const assistant = inStatements([
  `create table assistant_prompt_view (
    prompt text primary key,
    content text not null,
    version bigint not null,
    changed_by text not null,
    changed_at timestamptz not null,
    revision bigint not null
  )`,

  // Removed articles remain as rows that no query shows.
  `create table knowledge_article_view (
    article_id text primary key,
    title text not null,
    content text not null,
    tags jsonb not null,
    language text not null,
    source text,
    origin text not null,
    content_hash text not null,
    removed boolean not null,
    version bigint not null,
    added_at timestamptz not null,
    changed_by text not null,
    changed_at timestamptz not null,
    search text not null,
    revision bigint not null
  )`,
  `create index knowledge_article_view_changed
    on knowledge_article_view (changed_at, article_id) where not removed`,

  // Not a read model: a cache of the provider's embedding of each passage.
  `create table knowledge_vector (
    model text not null,
    passage_hash text not null,
    vector bytea not null,
    primary key (model, passage_hash)
  )`,
  // Vectors do not compress.
  `alter table knowledge_vector alter column vector set storage external`,
]);

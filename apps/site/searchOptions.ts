import type { Options } from 'minisearch';

/** A passage as a result of a search shows it. */
export interface Found {
  readonly page: string;
  readonly heading: string;
  /** Path below the site's root, with the anchor. */
  readonly address: string;
  readonly excerpt: string;
  readonly language: string;
}

/** Rules by which passages are indexed and found, the same where the index is made and where it is read. */
export const searchOptions: Options = {
  fields: ['heading', 'page', 'text'],
  storeFields: ['page', 'heading', 'address', 'excerpt', 'language'],
  // A code such as WRONG_VC is one word.
  tokenize: (text) => text.split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== ''),
  searchOptions: {
    boost: { heading: 4, page: 2 },
    prefix: true,
    fuzzy: (term) => (term.length > 5 ? 0.2 : false),
    combineWith: 'AND',
  },
};

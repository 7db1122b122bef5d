import type { Decider } from '../shared/decider.ts';
import type { DocumentMade, MadeDocumentEvent } from './events.ts';

/** SHA-256 of the files made of one source. */
export type MadeDocuments = ReadonlySet<string>;

export interface MadeDocumentCommand {
  readonly type: 'RecordMade';
  readonly made: DocumentMade['data'];
}

/** Files made of one source: each recorded once, though its recording is repeated. */
export const madeDocumentDecider: Decider<MadeDocuments, MadeDocumentCommand, MadeDocumentEvent> = {
  initial: new Set(),
  evolve: (known, { data }) => new Set([...known, data.digest]),
  decide: ({ made }, known) =>
    known.has(made.digest) ? [] : [{ type: 'DocumentMade', data: made }],
};

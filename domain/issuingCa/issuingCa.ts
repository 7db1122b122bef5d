import type { Decider } from '../shared/decider.ts';
import type { IssuingCa } from '../shared/issuingCas.ts';
import type { IssuingCaActivated } from './events.ts';

/** Generations of one kind of issuing CA, by their last activation; none: the first one issues. */
export type ActivatedCas = readonly IssuingCa[];

export interface ActivateCa {
  readonly type: 'ActivateCa';
  readonly activated: IssuingCaActivated['data'];
}

/** The generations of one kind of issuing CA. Stream `issuingCa-<kind>`. */
export const issuingCaDecider: Decider<ActivatedCas, ActivateCa, IssuingCaActivated> = {
  initial: [],
  evolve: (activated, { data: { authority } }) => [
    ...activated.filter((each) => each !== authority),
    authority,
  ],
  decide: ({ activated }, before) =>
    before.at(-1) === activated.authority ? [] : [{ type: 'IssuingCaActivated', data: activated }],
};

import type { RefusalCode } from '../../domain/shared/refusal.ts';
import { documentProblems } from './documentProblems.ts';
import { operatorProblems } from './operatorProblems.ts';
import { peopleProblems } from './peopleProblems.ts';
import { requestProblems } from './requestProblems.ts';
import { sessionProblems } from './sessionProblems.ts';
import type { Wire } from './wire.ts';

/**
 * Maps refusal codes to responses (contract §6). Clients search a 403 for the word "represent" to
 * recognise a missing right to represent: no other 403 may contain it.
 */
export const problems: Readonly<Record<RefusalCode, Wire>> = {
  ...requestProblems,
  ...sessionProblems,
  ...peopleProblems,
  ...documentProblems,
  ...operatorProblems,
};

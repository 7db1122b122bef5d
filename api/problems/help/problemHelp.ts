import type { RefusalCode } from '../../../domain/shared/refusal.ts';
import { documentHelp } from './documentHelp.ts';
import type { Help } from './help.ts';
import { operatorHelp } from './operatorHelp.ts';
import { peopleHelp } from './peopleHelp.ts';
import { requestHelp } from './requestHelp.ts';
import { sessionHelp } from './sessionHelp.ts';

/** Groups of problems, in the order of their index. */
export const problemGroups = {
  request: requestHelp,
  session: sessionHelp,
  people: peopleHelp,
  documents: documentHelp,
  operators: operatorHelp,
} as const;

/** Help on every problem: an entry is missing when this does not compile. */
export const problemHelp: Readonly<Record<RefusalCode, Help>> = {
  ...requestHelp,
  ...sessionHelp,
  ...peopleHelp,
  ...documentHelp,
  ...operatorHelp,
};

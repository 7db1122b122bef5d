import type { NameScope } from '../../../domain/heldName/events.ts';

/** Query of the names in use, from the read models. */
export interface NamesInUse {
  /** Lists the holders of names that look the same. @throws Unavailable(database) */
  usersOf(scope: NameScope, name: string): Promise<readonly string[]>;
}

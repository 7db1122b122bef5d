import type { NameScope } from '../../domain/heldName/events.ts';
import { nameTaken } from '../../domain/heldName/heldName.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import { foldedName } from '../../domain/shared/foldedName.ts';
import type { HeldNames } from '../aggregates.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { NamesInUse } from './ports/namesInUse.ts';

export interface TakeNamesDependencies {
  readonly heldNames: HeldNames;
  /** Also those registered before names were taken. */
  readonly namesInUse: NamesInUse;
  readonly clock: Clock;
}

/** Names that one is about to use. */
export interface NamesWish {
  readonly scope: NameScope;
  readonly holder: string;
  readonly names: readonly string[];
}

/**
 * Takes names before they are used: of several at once only one succeeds. Repeatable.
 *
 * @throws Refusal CONFLICT when another of the scope has a name that looks the same
 */
export type TakeNames = (wish: NamesWish, context: CommandContext) => Promise<void>;

/** The time in which a name that was taken shows in the read models, ms. */
const SHOWN_WITHIN_MS = 10 * 60_000;

export function createTakeNames({
  heldNames,
  namesInUse,
  clock,
}: TakeNamesDependencies): TakeNames {
  async function take(
    { scope, holder, name }: Omit<NamesWish, 'names'> & { readonly name: string },
    context: CommandContext,
  ): Promise<void> {
    const folded = foldedName(name);
    const users = await namesInUse.usersOf(scope, name);
    if (users.some((user) => user !== holder)) throw nameTaken();
    const id = sha256Hex(`${scope} ${folded}`);
    const { state: held } = await heldNames.load(id);
    const now = clock.now();
    // Nobody uses it: whoever took it long ago has another name now, or was interrupted.
    const isFree = held !== null && Date.parse(held.takenAt) + SHOWN_WITHIN_MS <= now.getTime();
    const insteadOf = isFree ? held.holder : null;
    const wish = { scope, holder, folded, insteadOf, now: now.toISOString() };
    await heldNames.handle(id, { type: 'TakeName', ...wish }, context);
  }

  return async ({ scope, holder, names }, context) => {
    for (const name of names) await take({ scope, holder, name }, context);
  };
}

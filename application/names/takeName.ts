import type { NameScope } from '../../domain/heldName/events.ts';
import { heldNameDecider, nameTaken } from '../../domain/heldName/heldName.ts';
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

/**
 * Expects that names could be taken now, before somebody is asked to approve them.
 *
 * @throws Refusal CONFLICT when another of the scope has a name that looks the same
 */
export type ExpectNamesFree = (wish: NamesWish) => Promise<void>;

/** The time in which a name that was taken shows in the read models, ms. */
const SHOWN_WITHIN_MS = 10 * 60_000;

export function createTakeNames(dependencies: TakeNamesDependencies): TakeNames {
  return async ({ names, ...wish }, context) => {
    for (const name of names) {
      const { id, command } = await decideTaking(dependencies, { ...wish, name });
      await dependencies.heldNames.handle(id, command, context);
    }
  };
}

export function createExpectNamesFree(dependencies: TakeNamesDependencies): ExpectNamesFree {
  return async ({ names, ...wish }) => {
    for (const name of names) {
      const { command, held } = await decideTaking(dependencies, { ...wish, name });
      heldNameDecider.decide(command, held);
    }
  };
}

async function decideTaking(
  { heldNames, namesInUse, clock }: TakeNamesDependencies,
  { scope, holder, name }: Omit<NamesWish, 'names'> & { readonly name: string },
) {
  const folded = foldedName(name);
  const users = await namesInUse.usersOf(scope, name);
  if (users.some((user) => user !== holder)) throw nameTaken(scope);
  const id = sha256Hex(`${scope} ${folded}`);
  const { state: held } = await heldNames.load(id);
  const now = clock.now();
  // Nobody uses it: whoever took it long ago has another name now, or was interrupted.
  const isFree =
    held !== null &&
    !users.includes(held.holder) &&
    Date.parse(held.takenAt) + SHOWN_WITHIN_MS <= now.getTime();
  const insteadOf = isFree ? held.holder : null;
  const command = {
    type: 'TakeName',
    scope,
    holder,
    folded,
    insteadOf,
    now: now.toISOString(),
  } as const;
  return { id, command, held };
}

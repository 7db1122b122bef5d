import { faultOfDisplayed } from '../shared/requestFields.ts';
import { faultOfSpaces } from '../shared/foldedName.ts';
import { Refusal } from '../shared/refusal.ts';

/** Longest name of a relying party in bytes of UTF-8 (specification, Limits). */
const relyingPartyNameBytes = 32;

/** Names beside the registered one at most. */
export const maxAliases = 20;

/** Names a relying party may show citizens besides its registered one. */
export interface RelyingPartyNames {
  /** Names set under four eyes, in any order. */
  readonly aliases: readonly string[];
  /** True to admit any other name, shown after the registered one. */
  readonly otherNames: boolean;
}

/**
 * Checks that a name is neither empty, too long, nor displayed misleadingly.
 *
 * @returns the fault, for the sender of the name; null: none
 */
export function faultOfName(name: string): string | null {
  const bytes = new TextEncoder().encode(name).length;
  return bytes > 0 && bytes <= relyingPartyNameBytes
    ? (faultOfDisplayed(name, 'one line') ?? faultOfSpaces(name))
    : `1 to ${relyingPartyNameBytes} bytes of UTF-8; this one has ${bytes}.`;
}

/** @throws Refusal INVALID_REQUEST for a name that cannot be used */
export function expectName(name: string, pointer: string): void {
  const detail = faultOfName(name);
  if (detail === null) return;
  throw new Refusal('INVALID_REQUEST', {
    detail: `The name cannot be used: ${detail}`,
    errors: [{ pointer, detail }],
  });
}

/** @throws Refusal INVALID_REQUEST for aliases that cannot be used */
export function expectAliases(aliases: readonly string[]): void {
  for (const [index, alias] of aliases.entries()) expectName(alias, `/aliases/${index}`);
  const detail = `At most ${maxAliases}.`;
  if (aliases.length <= maxAliases) return;
  throw new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '/aliases', detail }] });
}

/**
 * Checks the name a relying party sends.
 *
 * @returns the registered name, to be shown before the other; null: the name is its own
 * @throws Refusal INVALID_REQUEST for a name that is neither registered nor an alias
 */
export function registeredNameBeside(
  sent: string,
  { name, aliases, otherNames }: RelyingPartyNames & { readonly name: string },
): string | null {
  if (sent === name || aliases.includes(sent)) return null;
  const detail = otherNames
    ? faultOfDisplayed(sent, 'one line')
    : 'Must be the registered name of this relying party or one of its aliases.';
  if (detail === null) return name;
  throw new Refusal('INVALID_REQUEST', { errors: [{ pointer: '/relyingPartyName', detail }] });
}

/** The displayed name: both, when another than the registered one was sent. */
export function displayedName({
  relyingPartyName,
  registeredName,
}: {
  readonly relyingPartyName: string;
  readonly registeredName: string | null;
}): string {
  return registeredName === null ? relyingPartyName : `${registeredName} («${relyingPartyName}»)`;
}

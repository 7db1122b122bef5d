import type { PersonalDataVault } from './personalDataVault.ts';

/**
 * First character of a sealed IP address, `~<civil id>~<sealed>`; without a civil id the platform key sealed it. No
 * plain address begins so; events written before addresses were sealed have them in clear.
 */
const MARK = '~';

const SEALED = /^~([^~]*)~([^~]+)$/;

/** An IP address sealed under the key of its person or operator, as one text. @throws SubjectForgotten */
export async function sealAddress(
  vault: Pick<PersonalDataVault, 'seal'>,
  of: string | null,
  address: string,
): Promise<string> {
  return `${MARK}${of ?? ''}${MARK}${await vault.seal(of, address)}`;
}

/** The address of an event's metadata; null: none, or its person was forgotten. */
export async function openAddress(
  vault: Pick<PersonalDataVault, 'open'>,
  ip: string | null,
): Promise<string | null> {
  const sealed = ip === null ? null : SEALED.exec(ip);
  if (sealed === null) return ip;
  const [, of = '', text = ''] = sealed;
  return vault.open(of === '' ? null : of, text);
}

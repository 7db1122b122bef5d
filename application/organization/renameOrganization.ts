import { canonicalLatinName } from '../../domain/organization/latinName.ts';
import type { SessionStarted } from '../../domain/session/events.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { ExpectNamesFree } from '../names/takeName.ts';
import type { RelyingPartyData } from '../ports/referenceData.ts';
import {
  type AdminConfirmationDependencies,
  type AdminQuestion,
  askForConfirmation,
  expectConfirmation,
} from './adminConfirmation.ts';
import type { AdministrationDependencies } from './administration.ts';
import { nameOrganization } from './nameOrganization.ts';
import { type ActingFor, expectActingAdmin } from './signers.ts';

export type RenameDependencies = AdministrationDependencies &
  AdminConfirmationDependencies & { readonly expectNamesFree: ExpectNamesFree };

/** Another Latin name that a relying party asks for. */
export interface RenameWish extends ActingFor {
  readonly relyingParty: RelyingPartyData;
  readonly nameLatin: string;
  /** Session in which an ADMIN confirmed; null: an ADMIN is yet to be asked. */
  readonly sessionId: string | null;
}

/** @property asked session in which an ADMIN decides; null: the name is as wished */
export interface Renaming {
  /** Civil id of the acting person. */
  readonly civilId: string;
  readonly asked: SessionStarted['data'] | null;
}

/**
 * Changes the organization's Latin name, which its certificates carry, once an ADMIN has confirmed it by push.
 *
 * @throws Refusal as {@link expectActingAdmin}, {@link askForConfirmation} and {@link expectConfirmation};
 * INVALID_REQUEST; CONFLICT when the name was changed since, or looks like another organization's
 */
export async function renameOrganization(
  dependencies: RenameDependencies,
  { relyingParty, sessionId, nameLatin: wanted, ...acting }: RenameWish,
  contextOf: (correlationId: string) => CommandContext,
): Promise<Renaming> {
  const nameLatin = canonicalLatinName(wanted);
  const { organization, register, civilId } = await expectActingAdmin(dependencies, acting);
  if (organization.nameLatin === nameLatin) return { civilId, asked: null };
  const question: AdminQuestion = {
    relyingParty,
    register,
    preferred: civilId,
    facts: ['LATIN NAME', nameLatin],
    shown: (text) => text`Латин нэр «${nameLatin}» болно: ${organization.name}`,
  };
  if (sessionId === null) {
    await dependencies.expectNamesFree({
      scope: 'ORGANIZATION',
      holder: register,
      names: [nameLatin],
    });
    return { civilId, asked: await askForConfirmation(dependencies, question, contextOf) };
  }
  const { confirmedBy, confirmedAt } = await expectConfirmation(dependencies, question, sessionId);
  const now = dependencies.clock.now().toISOString();
  const confirmed = { confirmedBy, confirmedIn: sessionId, confirmedAt };
  const command = { type: 'RenameOrganization', nameLatin, ...confirmed, now } as const;
  await nameOrganization(dependencies, register, command, contextOf(sessionId));
  return { civilId, asked: null };
}

import { forgetPerson } from '../application/citizen/forgetPerson.ts';
import type { CommandContext } from '../application/handleCommand.ts';
import type { PersonIdentifier } from '../domain/shared/etsi.ts';
import { createPostgresCivilRegistry } from '../infrastructure/registry/postgresCivilRegistry.ts';
import { createCitizenTraces } from '../projections/citizens.ts';
import type { Aggregates } from './aggregates.ts';
import type { CertificateLife } from './certificateLife.ts';
import type { Foundation } from './foundation.ts';

/** Forgets a person for good. @throws Refusal PERSON_NOT_FOUND */
export type Forget = (identifier: PersonIdentifier, context: CommandContext) => Promise<void>;

/** How people are forgotten, on the machine itself and by operators. */
export function composeForgetting(
  { pool, vault, database, clock }: Foundation,
  { accessLog }: Pick<Aggregates, 'accessLog'>,
  certificateLife: CertificateLife,
): Forget {
  const civilRegistry = createPostgresCivilRegistry({ pool, vault });
  const traces = [civilRegistry, createCitizenTraces(database)];
  return async (identifier, context) => {
    const record = (civilId: string) => {
      const forgottenAt = clock.now().toISOString();
      return accessLog({ type: 'PersonForgotten', data: { civilId, forgottenAt } }, context);
    };
    const endIdentity = (civilId: string) => certificateLife.endIdentity(civilId, context);
    await forgetPerson({ vault, civilRegistry, traces, record, endIdentity }, identifier);
  };
}

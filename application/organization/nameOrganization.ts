import type { OrganizationEvent } from '../../domain/organization/events.ts';
import {
  type OrganizationCommand,
  organizationDecider,
} from '../../domain/organization/organization.ts';
import { namesOf } from '../../domain/organization/settings.ts';
import { awaitProjection, type CommandContext } from '../handleCommand.ts';
import type { TakeNames } from '../names/takeName.ts';
import type { ProjectionProgress } from '../ports/projectionProgress.ts';
import type { Organizations } from './organizations.ts';

export interface NamingDependencies {
  readonly organizations: Organizations;
  readonly takeNames: TakeNames;
  /** Waits until read models show the change. */
  readonly progress: ProjectionProgress;
}

/**
 * Handles a command that may name the organization; the names it did not have are taken before.
 *
 * @throws Refusal of the command; CONFLICT for a name that looks like another organization's
 */
export async function nameOrganization(
  { organizations, takeNames, progress }: NamingDependencies,
  register: string,
  command: OrganizationCommand,
  context: CommandContext,
) {
  const { state } = await organizations.load(register);
  const names = organizationDecider.decide(command, state).flatMap(namesGiven);
  await takeNames({ scope: 'ORGANIZATION', holder: register, names }, context);
  return awaitProjection(progress, organizations.handle(register, command, context));
}

function namesGiven(event: OrganizationEvent): readonly string[] {
  switch (event.type) {
    case 'OrganizationRegistered':
      return namesOf(event.data);
    case 'OrganizationNameChanged':
      return [event.data.name];
    case 'OrganizationRenamed':
      return [event.data.nameLatin];
    default:
      return [];
  }
}

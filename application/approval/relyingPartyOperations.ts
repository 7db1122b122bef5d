import type { ApprovalEffect } from '../../domain/approval/events.ts';
import {
  initialRelyingPartySettings,
  type Permission,
  type RelyingPartySettings,
  usableSettings,
} from '../../domain/relyingParty/settings.ts';
import { expectAliases, expectName } from '../../domain/relyingParty/names.ts';
import type {
  RegisteredRelyingParty,
  RelyingParty,
} from '../../domain/relyingParty/relyingParty.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { streamOf } from '../../domain/shared/streams.ts';
import type { EventStore, RecordedEvent } from '../ports/eventStore.ts';
import { organizationEtsi } from '../../domain/shared/etsi.ts';
import type { ExpectNamesFree } from '../names/takeName.ts';
import { registerIn } from '../organization/administration.ts';
import type { Organizations } from '../organization/organizations.ts';
import {
  allowSealing,
  deactivateRelyingParty,
  editRelyingParty,
  newNames,
  offerSecret,
  reactivateRelyingParty,
  registerByLink,
  registerRelyingParty,
  type RelyingPartyDependencies,
  rotateSecret,
  setNames,
} from '../relyingParty/administration.ts';
import { createRelyingParties } from '../aggregates.ts';
import type { Plan, SensitiveOperation } from './operations.ts';

/** Commands about relying parties: registration, edits that give rights or names, and what else takes two operators. */
export function relyingPartyOperations(
  dependencies: RelyingPartyDependencies & {
    readonly organizations: Pick<Organizations, 'load'>;
    readonly expectNamesFree: ExpectNamesFree;
  },
): {
  readonly 'relyingParty.deactivate': SensitiveOperation<'relyingParty.deactivate'>;
  readonly 'relyingParty.reactivate': SensitiveOperation<'relyingParty.reactivate'>;
  readonly 'relyingParty.allowSealing': SensitiveOperation<'relyingParty.allowSealing'>;
  readonly 'relyingParty.setNames': SensitiveOperation<'relyingParty.setNames'>;
  readonly 'relyingParty.register': SensitiveOperation<'relyingParty.register'>;
  readonly 'relyingParty.edit': SensitiveOperation<'relyingParty.edit'>;
  readonly 'relyingParty.rotateSecret': SensitiveOperation<'relyingParty.rotateSecret'>;
} {
  const { relyingParties, organizations, expectNamesFree } = dependencies;

  const over = (eventStore: EventStore) => ({
    ...dependencies,
    relyingParties: createRelyingParties({ ...dependencies, eventStore }),
  });

  async function plan(
    relyingPartyId: string,
    effects: (party: Exclude<RelyingParty, { status: 'NONE' }>) => readonly ApprovalEffect[],
  ): Promise<Plan> {
    const { state, revision } = await relyingParties.load(relyingPartyId);
    if (state.status === 'NONE') throw new Refusal('RELYING_PARTY_NOT_FOUND');
    return {
      subject: relyingPartyId,
      civilId: null,
      effects: effects(state),
      targets: [{ stream: streamOf('relyingParty', relyingPartyId), revision }],
    };
  }

  return {
    'relyingParty.deactivate': {
      plan: ({ relyingPartyId }) =>
        plan(relyingPartyId, ({ status, settings: { name } }) =>
          status === 'DEACTIVATED'
            ? []
            : [{ target: `relying party ${name}`, before: status, after: 'DEACTIVATED' }],
        ),
      async execute({ relyingPartyId }, context, eventStore) {
        await deactivateRelyingParty(over(eventStore), relyingPartyId, context);
        return null;
      },
      concerns: isNoSubsystem,
    },

    'relyingParty.reactivate': {
      plan: ({ relyingPartyId }) =>
        plan(relyingPartyId, ({ status, settings: { name } }) =>
          status === 'ACTIVE'
            ? []
            : [{ target: `relying party ${name}`, before: status, after: 'ACTIVE' }],
        ),
      async execute({ relyingPartyId }, context, eventStore) {
        await reactivateRelyingParty(over(eventStore), relyingPartyId, context);
        return null;
      },
      concerns: isNoSubsystem,
      completes: ({ type }) => type === 'RelyingPartyReactivated',
    },

    'relyingParty.allowSealing': {
      async plan({ relyingPartyId, register: text }) {
        const register = registerIn(text);
        const { state: organization } = await organizations.load(register);
        if (organization.status === 'NONE') throw new Refusal('ORG_NOT_FOUND');
        return plan(relyingPartyId, ({ sealsFor, settings: { name } }) =>
          sealsFor.includes(register)
            ? []
            : [
                {
                  target: `organizations sealed for by relying party ${name}`,
                  before: listOf(sealsFor),
                  after: `${listOf([...sealsFor, register])} (${organization.name})`,
                },
              ],
        );
      },
      async execute({ relyingPartyId, register }, context, eventStore) {
        const wish = { relyingPartyId, register: registerIn(register) };
        await allowSealing(over(eventStore), wish, context);
        return null;
      },
      concerns: isNoSubsystem,
      completes: ({ type }) => type === 'SealingAllowed',
    },

    'relyingParty.setNames': {
      async plan({ relyingPartyId, aliases, otherNames }) {
        expectAliases(aliases);
        await expectNamesFree(await newNames(dependencies, relyingPartyId, aliases));
        return plan(relyingPartyId, ({ settings: { name }, ...party }) =>
          [
            {
              target: `aliases of relying party ${name}`,
              before: namesIn(party.aliases),
              after: namesIn(aliases),
            },
            {
              target: `other names of relying party ${name}`,
              before: admitted(party.otherNames),
              after: admitted(otherNames),
            },
          ].filter(({ before, after }) => before !== after),
        );
      },
      async execute(wish, context, eventStore) {
        await setNames(over(eventStore), wish, context);
        return null;
      },
      concerns: isNoSubsystem,
      completes: ({ type }) => type === 'RelyingPartyNamesSet',
    },

    'relyingParty.register': {
      async plan({ relyingPartyId, settings, byLink }) {
        const { name, ...usable } = usableSettings(settings);
        expectName(name, '/relyingPartyName');
        await expectNamesFree({ scope: 'RELYING_PARTY', holder: relyingPartyId, names: [name] });
        const { state, revision } = await relyingParties.load(relyingPartyId);
        const registration = { target: `relying party ${name}`, before: 'none', after: 'ACTIVE' };
        const blank = { ...initialRelyingPartySettings, name };
        return {
          subject: relyingPartyId,
          civilId: null,
          effects:
            state.status === 'NONE'
              ? [
                  registration,
                  ...firstSettings(`relying party ${name}`, blank, { ...usable, name }),
                  ...firstSecret(`API secret of relying party ${name}`, byLink),
                ]
              : [],
          targets: [{ stream: streamOf('relyingParty', relyingPartyId), revision }],
        };
      },
      execute: ({ relyingPartyId, settings, byLink }, context, eventStore) =>
        (byLink === true ? registerByLink : registerRelyingParty)(
          over(eventStore),
          { ...settings, relyingPartyId },
          context,
        ),
      completes: ({ type }) => type === 'RelyingPartyRegistered',
    },

    'relyingParty.edit': {
      async plan({ relyingPartyId, changes }) {
        const usable = usableSettings(changes);
        if (usable.name !== undefined) {
          expectName(usable.name, '/relyingPartyName');
          await expectNamesFree(await newNames(dependencies, relyingPartyId, [usable.name]));
        }
        return plan(relyingPartyId, ({ settings }) =>
          settingEffects(`relying party ${settings.name}`, settings, { ...settings, ...usable }),
        );
      },
      async execute({ relyingPartyId, changes }, context, eventStore) {
        await editRelyingParty(over(eventStore), relyingPartyId, changes, context);
        return null;
      },
      concerns: isNoSubsystem,
      completes: ({ type }) => type === 'RelyingPartyEdited',
    },

    'relyingParty.rotateSecret': {
      plan: ({ relyingPartyId, byLink }) =>
        plan(relyingPartyId, ({ settings: { name } }) => [
          {
            target: `API secret of relying party ${name}`,
            before: 'the present secret',
            after: newSecretFor(byLink),
          },
        ]),
      execute: ({ relyingPartyId, byLink }, context, eventStore) =>
        (byLink === true ? offerSecret : rotateSecret)(over(eventStore), relyingPartyId, context),
      concerns: isNoSubsystem,
      completes: ({ type }) => type === 'SecretRotated' || type === 'SecretOffered',
    },
  };
}

/** Effects of other settings, one each. @param whose for example `relying party Bank` */
export function settingEffects<Settings extends object>(
  whose: string,
  before: Settings,
  after: Settings,
): readonly ApprovalEffect[] {
  return Object.entries(after)
    .map(([setting, value]) => ({
      target: `${setting} of ${whose}`,
      before: shown(before[setting as keyof Settings]) || 'none',
      after: shown(value) || 'none',
    }))
    .filter((effect) => effect.before !== effect.after);
}

/** Effects of settings that a registration chooses: nothing was there before. @param usual settings without a choice */
export function firstSettings<Settings extends object>(
  whose: string,
  usual: Settings,
  chosen: Settings,
): readonly ApprovalEffect[] {
  return settingEffects(whose, usual, chosen).map((effect) =>
    // A default that was taken away is told with what it was.
    effect.after === 'none' ? effect : { ...effect, before: 'none' },
  );
}

/** A setting as a line of text: the values of what has several. */
function shown(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object') return JSON.stringify(value);
  const parts = Object.values(value ?? {}).map(shown);
  return parts.filter((part) => part !== '').join(' ');
}

/** Permissions with which a relying party acts upon organizations: two operators give them. */
const upon = ['SEAL', 'ORG_LINK_WRITE'] as const satisfies readonly Permission[];

/** True for changes of the name citizens see, of what lets it act upon organizations, and for a new address of events. */
export function takesTwo(
  changes: Partial<RelyingPartySettings>,
  { settings }: Pick<RegisteredRelyingParty, 'settings'>,
): boolean {
  const { name = settings.name, permissions = [], firstParty = false, webhooks = [] } = changes;
  const isGiven = (permission: Permission) =>
    permissions.includes(permission) && !settings.permissions.includes(permission);
  return (
    name !== settings.name ||
    upon.some(isGiven) ||
    (firstParty && !settings.firstParty) ||
    webhooks.some((each) => settings.webhooks.every(({ address }) => address !== each.address))
  );
}

/** Tells who gets a new secret. */
export function newSecretFor(byLink: true | undefined): string {
  return byLink === true
    ? 'a new secret, told once to who opens a link within 24 hours'
    : 'a new secret, told once to who asked for it';
}

/** Effect of a registration whose secret a link hands over. */
export function firstSecret(target: string, byLink: true | undefined): readonly ApprovalEffect[] {
  return byLink === true ? [{ target, before: 'none', after: newSecretFor(byLink) }] : [];
}

function listOf(registers: readonly string[]): string {
  return registers.map(organizationEtsi).join(' ') || 'none';
}

function namesIn(aliases: readonly string[]): string {
  return [...new Set(aliases)].sort().join(' · ') || 'none';
}

/** Tells how sessions are shown under other names than the registered one. */
export function admitted(otherNames: boolean): string {
  return otherNames ? 'shown after the registered one' : 'refused';
}

/** Subsystems register themselves all the time. */
function isNoSubsystem({ type }: RecordedEvent['event']): boolean {
  return !type.startsWith('Subsystem');
}

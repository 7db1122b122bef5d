import type { OrganizationChange, RightChange } from '../../domain/notice/events.ts';
import type { RepresentationEvent } from '../../domain/representation/events.ts';
import { adminsOf } from '../../domain/representation/representation.ts';
import type { Representations } from '../organization/organizations.ts';
import { countAttempt } from '../attempts.ts';
import type { AttemptLimits } from '../ports/attemptLimits.ts';
import type { RecordedEvent } from '../ports/eventStore.ts';
import { giverOf, none, type NoticeReactorOptions } from './giveNotices.ts';
import { type Concern, createRetryingReactor, type Reactor, type RecordedOf } from './reactor.ts';

export interface OrganizationNoticeOptions extends NoticeReactorOptions {
  readonly representations: Pick<Representations, 'load'>;
  /** Counts notices of what nobody confirmed yet, per citizen, over all organizations. */
  readonly unconfirmed: AttemptLimits;
}

/** Events that change what the ADMINs of an organization know of it. */
type ChangeType = 'OrganizationRenamed' | 'OrganizationNameChanged' | 'SealCertificateIssued';

/** The time in which one notice tells of all unconfirmed changes of a kind in an organization, ms. */
const FOLDED_MS = 3_600_000;

/**
 * Notifies the ADMINs of an organization of every change of another person's right, and a person of the loss of their
 * own. Changes that no ADMIN confirmed are a relying party's word alone: those of a kind are told of once an hour, and
 * the person they name is not.
 */
export function createRightNotices(options: OrganizationNoticeOptions): Reactor {
  const name = 'noticeOfRightChange';
  const give = giverOf(name, options);
  const adminsNow = adminsAt(options);

  async function react(recorded: RecordedOf<RepresentationEvent['type']>): Promise<void> {
    const { event } = recorded;
    const { register, civilId: person } = event.data;
    const change = changes[event.type];
    const others = (await adminsNow(register)).filter((civilId) => civilId !== person);
    const isLoss = event.type === 'RightWithdrawn' && event.data.wasConfirmed;
    for (const civilId of isLoss ? [person, ...others] : others) {
      const news = { ...none, civilId, kind: 'RIGHT_CHANGED', register, change, person } as const;
      await give(recorded, news, isConfirmed(event) ? {} : folded(options, recorded, news));
    }
  }

  const types = Object.keys(changes) as RepresentationEvent['type'][];
  return createRetryingReactor({ name, category: 'representation', types }, react, options);
}

/** Notifies the ADMINs of an organization of its other name. */
export function createRenameNotices(options: OrganizationNoticeOptions): Reactor {
  return createChangeNotices(
    {
      name: 'noticeOfRename',
      category: 'organization',
      types: ['OrganizationRenamed', 'OrganizationNameChanged'],
    },
    'RENAMED',
    options,
  );
}

/** Notifies the ADMINs of an organization of a new certificate to seal with. */
export function createSealCertificateNotices(options: OrganizationNoticeOptions): Reactor {
  return createChangeNotices(
    {
      name: 'noticeOfSealCertificate',
      category: 'sealCertificate',
      types: ['SealCertificateIssued'],
    },
    'CERTIFIED',
    options,
  );
}

function createChangeNotices(
  concern: Concern<ChangeType>,
  change: OrganizationChange,
  options: OrganizationNoticeOptions,
): Reactor {
  const give = giverOf(concern.name, options);
  const adminsNow = adminsAt(options);

  async function react(recorded: RecordedOf<ChangeType>): Promise<void> {
    const { register } = recorded.event.data;
    for (const civilId of await adminsNow(register)) {
      await give(recorded, { ...none, civilId, kind: 'ORGANIZATION_CHANGED', register, change });
    }
  }

  return createRetryingReactor(concern, react, options);
}

function adminsAt({ representations, clock }: OrganizationNoticeOptions) {
  return async (register: string): Promise<readonly string[]> => {
    const { state } = await representations.load(register);
    return adminsOf(state, clock.now().toISOString());
  };
}

const changes: Readonly<Record<RepresentationEvent['type'], RightChange>> = {
  RightGranted: 'GRANTED',
  RightRequested: 'REQUESTED',
  RightConfirmed: 'GRANTED',
  SignerInvited: 'INVITED',
  SignerConfirmed: 'GRANTED',
  RightWithdrawn: 'WITHDRAWN',
};

/** False: only a relying party's word. */
function isConfirmed(event: RepresentationEvent): boolean {
  if (event.type === 'RightWithdrawn') return event.data.wasConfirmed;
  return event.type !== 'RightRequested' && event.type !== 'SignerInvited';
}

function folded(
  { unconfirmed }: OrganizationNoticeOptions,
  { metadata }: RecordedEvent,
  {
    civilId,
    register,
    change,
  }: { readonly civilId: string; readonly register: string; readonly change: RightChange },
) {
  const hour = Math.floor(Date.parse(metadata.time) / FOLDED_MS);
  return {
    topic: `${register} ${change} ${hour}`,
    admits: async () => (await countAttempt(unconfirmed, `notice ${civilId}`)) === 0,
  };
}

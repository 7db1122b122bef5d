import {
  type Capability,
  hasCapability,
  type OperatorRole,
} from '../../domain/operator/capabilities.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import {
  alwaysReviewed,
  type ApprovalEffect,
  type ApprovalRequested,
  type SensitiveOperationName,
} from '../../domain/approval/events.ts';
import { DEVELOPMENT } from '../../domain/shared/operatorIdentities.ts';
import { approvalsNeeded } from '../../domain/approval/approval.ts';
import type { RegisterName } from '../../domain/registerImport/events.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { EventStore, RecordedEvent } from '../ports/eventStore.ts';
import type { IssuedClientSecret } from '../openIdConnect/administerClients.ts';
import type { IssuedSecret } from '../relyingParty/administration.ts';
import type { Offer } from '../relyingParty/offers.ts';
import type { ArticleText, PromptName } from '../../domain/assistant/events.ts';
import type { OidcClientSettings } from '../../domain/oidcClient/settings.ts';
import type { RelyingPartySettings } from '../../domain/relyingParty/settings.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';

/** Current effects of a command. */
export interface Plan {
  /** Serial, document number, UUID or ETSI identifier. */
  readonly subject: string;
  /** The person it is about; null: nobody. */
  readonly civilId: string | null;
  /** None: what it asks for is so already. */
  readonly effects: readonly ApprovalEffect[];
  /** The streams it rests on; `revision` null: there is no such stream. */
  readonly targets: readonly { readonly stream: string; readonly revision: bigint | null }[];
  /** Operators of whom another than the requester must approve, whatever the policy names. Default: none. */
  readonly reviewers?: readonly string[];
  /** True: refused where none of the reviewers is another than the requester. Default: false. */
  readonly isRefusedUnreviewed?: boolean;
  /** Of a command that makes no secret this time. Default: that of the table. */
  readonly execution?: 'AT_ONCE';
}

/** A secret a command makes, of a relying party or of an OpenID Connect client, or the link that hands one over. */
export type MadeSecret = IssuedSecret | IssuedClientSecret | Offer;

/** Planning and execution of one kind of sensitive command. */
export interface SensitiveOperation<Operation extends SensitiveOperationName> {
  /** @throws Refusal when the command is not allowed as things are */
  plan(command: CommandOf<Operation>): Promise<Plan>;
  /**
   * Executes the command. Repeatable: completed steps are skipped, so a repetition completes the rest.
   *
   * @param eventStore for all reads and appends of the decision
   * @returns the generated secret, for the requester only; null: none
   * @throws Refusal
   */
  execute(
    command: CommandOf<Operation>,
    context: CommandContext,
    eventStore: EventStore,
  ): Promise<MadeSecret | null>;
  /** True when this event of a target changes the approved effects; default: every event does. */
  concerns?(event: RecordedEvent['event'], command: CommandOf<Operation>): boolean;
  /** Of commands that would have an effect twice: whether this event says that it was carried out. */
  completes?(event: RecordedEvent['event']): boolean;
}

/** Every sensitive command there is. */
export type SensitiveOperations = {
  readonly [Operation in SensitiveOperationName]: SensitiveOperation<Operation>;
};

interface Rule {
  /** Capability required of the requesting and the deciding operator. */
  readonly capability: Capability;
  /** BY_REQUESTER: its result is a secret, made when the requester comes for it and kept nowhere. */
  readonly execution: ApprovalRequested['data']['execution'];
}

/** The table of sensitive commands; capabilities as in the specification, Operator API. */
export const operationRules: Readonly<Record<SensitiveOperationName, Rule>> = {
  'certificate.revoke': { capability: 'cert:revoke', execution: 'AT_ONCE' },
  'device.deactivate': { capability: 'device:revoke', execution: 'AT_ONCE' },
  'relyingParty.deactivate': { capability: 'rp:write', execution: 'AT_ONCE' },
  'relyingParty.reactivate': { capability: 'rp:write', execution: 'AT_ONCE' },
  'relyingParty.allowSealing': { capability: 'rp:write', execution: 'AT_ONCE' },
  'relyingParty.setNames': { capability: 'rp:write', execution: 'AT_ONCE' },
  'relyingParty.register': { capability: 'rp:write', execution: 'BY_REQUESTER' },
  'relyingParty.edit': { capability: 'rp:write', execution: 'AT_ONCE' },
  'relyingParty.rotateSecret': { capability: 'rp:write', execution: 'BY_REQUESTER' },
  'oidcClient.deactivate': { capability: 'rp:write', execution: 'AT_ONCE' },
  'oidcClient.edit': { capability: 'rp:write', execution: 'AT_ONCE' },
  'oidcClient.register': { capability: 'rp:write', execution: 'BY_REQUESTER' },
  'oidcClient.rotateSecret': { capability: 'rp:write', execution: 'BY_REQUESTER' },
  'projection.skip': { capability: 'config:write', execution: 'AT_ONCE' },
  'register.import': { capability: 'config:write', execution: 'AT_ONCE' },
  'organization.revoke': { capability: 'org:write', execution: 'AT_ONCE' },
  'organization.issueSealCertificate': { capability: 'org:write', execution: 'AT_ONCE' },
  'operator.deactivate': { capability: 'admin:manage', execution: 'AT_ONCE' },
  'operator.resetSecondFactor': { capability: 'admin:manage', execution: 'AT_ONCE' },
  'operator.changeRole': { capability: 'admin:manage', execution: 'AT_ONCE' },
  'person.forget': { capability: 'admin:manage', execution: 'AT_ONCE' },
  'assistant.changePrompt': { capability: 'config:write', execution: 'AT_ONCE' },
  'assistant.changeKnowledge': { capability: 'config:write', execution: 'AT_ONCE' },
};

/** True for roles whose operators can approve some command. */
export function canApprove(role: OperatorRole): boolean {
  return Object.values(operationRules).some(({ capability }) => hasCapability(role, capability));
}

/** Commands the installation puts under the four-eyes principle. */
export interface FourEyesPolicy {
  readonly required: boolean;
  /** Commands beyond those that always are, when required. */
  readonly named: readonly SensitiveOperationName[];
}

/** @param requester operator id, who does not count among the plan's reviewers */
export function needsFourEyes(
  { required, named }: FourEyesPolicy,
  operation: SensitiveOperationName,
  { reviewers = [] }: Pick<Plan, 'reviewers'>,
  requester: string,
): boolean {
  const always: readonly SensitiveOperationName[] = alwaysReviewed;
  const isListed = [...always, ...named].includes(operation);
  return required && (isListed || hasReviewer(reviewers, requester));
}

/**
 * Refuses what nobody could approve: what the break-glass key asks for takes two operators, and who takes an approver
 * away needs another.
 *
 * @param reviewers ids of the operators who may approve
 * @throws Refusal APPROVERS_MISSING
 */
export function expectReviewers(reviewers: readonly string[], requester: string): void {
  const needed = approvalsNeeded(requester);
  const others = reviewers.filter((reviewer) => reviewer !== requester).length;
  if (requester === DEVELOPMENT || others >= needed) return;
  const whose =
    needed === 2
      ? 'Two operators must approve what the break-glass key asks for'
      : 'Another SUPER_ADMIN must approve this';
  throw new Refusal('APPROVERS_MISSING', {
    detail: `${whose}, and there ${others === 1 ? 'is one' : 'is none'}. Add operators on the machine with ./tamga admin add, or make the change with ./tamga admin deactivate or reset.`,
  });
}

/** True when another than the requester may review; what the open development profile does counts as reviewed. */
export function hasReviewer(reviewers: readonly string[], requester: string): boolean {
  return requester !== DEVELOPMENT && reviewers.some((reviewer) => reviewer !== requester);
}

/** Planning and execution of one command. */
export interface BoundOperation {
  plan(): Promise<Plan>;
  execute(context: CommandContext, eventStore: EventStore): Promise<MadeSecret | null>;
  concerns(event: RecordedEvent['event']): boolean;
  completes(event: RecordedEvent['event']): boolean;
}

/** The operation of a command, bound to it. */
export function operationFor(
  operations: SensitiveOperations,
  command: SensitiveCommand,
): BoundOperation {
  // Found under the command's own name, so it takes this command.
  const operation = operations[
    command.operation
  ] as unknown as SensitiveOperation<SensitiveOperationName>;
  return {
    plan: () => operation.plan(command),
    execute: (context, eventStore) => operation.execute(command, context, eventStore),
    concerns: (event) => operation.concerns?.(event, command) ?? true,
    completes: (event) => operation.completes?.(event) ?? false,
  };
}

/** Way in which a new secret reaches its holder. */
interface MaybeByLink {
  /** True: who opens a link first gets it, and a present one counts until then; omitted: the requester gets it. */
  readonly byLink?: true;
}

/**
 * A command that may require dual control, in the form approvals store: its names must not change while an approval may
 * be pending.
 */
export type SensitiveCommand =
  /** @property reason RFC 5280 CRLReason number; 6 suspends */
  | {
      readonly operation: 'certificate.revoke';
      readonly serial: string;
      readonly reason: number;
    }
  | {
      readonly operation: 'device.deactivate';
      readonly documentNumber: string;
      readonly reason: number;
    }
  | { readonly operation: 'relyingParty.deactivate'; readonly relyingPartyId: string }
  | { readonly operation: 'relyingParty.reactivate'; readonly relyingPartyId: string }
  | {
      readonly operation: 'relyingParty.allowSealing';
      readonly relyingPartyId: string;
      readonly register: string;
    }
  | {
      readonly operation: 'relyingParty.setNames';
      readonly relyingPartyId: string;
      readonly aliases: readonly string[];
      readonly otherNames: boolean;
    }
  | ({
      readonly operation: 'relyingParty.register';
      /** UUID it will have. */
      readonly relyingPartyId: string;
      readonly settings: RelyingPartySettings;
    } & MaybeByLink)
  | {
      readonly operation: 'relyingParty.edit';
      readonly relyingPartyId: string;
      readonly changes: Partial<RelyingPartySettings>;
    }
  | ({
      readonly operation: 'relyingParty.rotateSecret';
      readonly relyingPartyId: string;
    } & MaybeByLink)
  | { readonly operation: 'oidcClient.deactivate'; readonly clientId: string }
  | {
      readonly operation: 'oidcClient.edit';
      readonly clientId: string;
      readonly changes: Partial<OidcClientSettings>;
    }
  | ({
      readonly operation: 'oidcClient.register';
      /** The client_id it will have. */
      readonly clientId: string;
      readonly relyingPartyId: string;
      readonly settings: OidcClientSettings;
    } & MaybeByLink)
  | { readonly operation: 'projection.skip'; readonly readModel: string; readonly eventId: string }
  | {
      readonly operation: 'register.import';
      readonly register: RegisterName;
      /** SHA-256 of a file that is kept for it. */
      readonly digest: string;
    }
  | ({ readonly operation: 'oidcClient.rotateSecret'; readonly clientId: string } & MaybeByLink)
  | { readonly operation: 'organization.revoke'; readonly register: string }
  | { readonly operation: 'organization.issueSealCertificate'; readonly register: string }
  | {
      readonly operation: 'operator.changeRole';
      readonly operatorId: string;
      readonly role: OperatorRole;
    }
  | { readonly operation: 'operator.deactivate'; readonly operatorId: string }
  | { readonly operation: 'operator.resetSecondFactor'; readonly operatorId: string }
  | { readonly operation: 'person.forget'; readonly civilId: string }
  | {
      readonly operation: 'assistant.changePrompt';
      readonly prompt: PromptName;
      readonly content: string;
      readonly expected: number | null;
    }
  | ({
      readonly operation: 'assistant.changeKnowledge';
      readonly articleId: string;
      readonly expected: number | null;
    } & (({ readonly change: 'ADD' | 'CHANGE' } & ArticleText) | { readonly change: 'REMOVE' }));

/** The command of one operation. */
export type CommandOf<Operation extends SensitiveCommand['operation']> = Extract<
  SensitiveCommand,
  { readonly operation: Operation }
>;

/** The command as canonical JSON (RFC 8785), and its hash. */
export function hashedCommand(command: SensitiveCommand): {
  readonly command: string;
  readonly commandHash: string;
} {
  const sorted = Object.entries(command).sort(([one], [other]) => (one < other ? -1 : 1));
  const text = JSON.stringify(Object.fromEntries(sorted));
  return { command: text, commandHash: sha256Hex(text) };
}

/** The command an approval holds. @throws Error when it is not the one whose hash was kept */
export function verifiedCommand({
  command,
  commandHash,
}: {
  readonly command: string;
  readonly commandHash: string;
}): SensitiveCommand {
  if (sha256Hex(command) !== commandHash)
    throw new Error('The approved command was changed after its approval.');
  return JSON.parse(command) as SensitiveCommand;
}

/** An operator as the guard let them in. */
export interface ActingOperator {
  readonly id: string;
  readonly role: OperatorRole;
}

/** @throws Refusal PERMISSION_DENIED */
export function assertCapability({ role }: ActingOperator, capability: string): void {
  if (hasCapability(role, capability as Capability)) return;
  throw new Refusal('PERMISSION_DENIED', {
    detail: `The permission ${capability} is needed for this operation.`,
  });
}

import {
  alwaysReviewed,
  type ApprovalEffect,
  type ApprovalRequested,
  type SensitiveOperationName,
} from '../../domain/approval/events.ts';
import type { Capability } from '../../domain/operator/capabilities.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { EventStore, RecordedEvent } from '../ports/eventStore.ts';
import type { IssuedClientSecret } from '../openIdConnect/administerClients.ts';
import type { IssuedSecret } from '../relyingParty/registerRelyingParty.ts';
import type { CommandOf, SensitiveCommand } from './sensitiveCommand.ts';

/** What a command would do, as of now. */
export interface Plan {
  /** Serial, document number, UUID or ETSI identifier. */
  readonly subject: string;
  /** The person it is about; null: nobody. */
  readonly civilId: string | null;
  /** None: what it asks for is so already. */
  readonly effects: readonly ApprovalEffect[];
  /** The streams it rests on; `revision` null: there is no such stream. */
  readonly targets: readonly { readonly stream: string; readonly revision: bigint | null }[];
}

/** A secret a command makes: of a relying party, or of a client of the OpenID Connect provider. */
export type MadeSecret = IssuedSecret | IssuedClientSecret;

/** How one kind of sensitive command is looked at and carried out. */
export interface SensitiveOperation<Operation extends SensitiveOperationName> {
  /** @throws Refusal when the command is not allowed as things are */
  plan(command: CommandOf<Operation>): Promise<Plan>;
  /**
   * Carries the command out. What has been done already it does not do again, so that it can be repeated until it is whole.
   *
   * @param eventStore through which everything that decides is read and appended
   * @returns the secret it makes, for who asked for it alone; null: none
   * @throws Refusal
   */
  execute(
    command: CommandOf<Operation>,
    context: CommandContext,
    eventStore: EventStore,
  ): Promise<MadeSecret | null>;
  /** Whether this event of a target changes what was approved; default: every event does. */
  concerns?(event: RecordedEvent['event'], command: CommandOf<Operation>): boolean;
  /** Of commands that would have an effect twice: whether this event says that it was carried out. */
  completes?(event: RecordedEvent['event']): boolean;
}

/** Every sensitive command there is. */
export type SensitiveOperations = {
  readonly [Operation in SensitiveOperationName]: SensitiveOperation<Operation>;
};

interface Rule {
  /** What the operator who asks, and the one who decides, must be allowed. */
  readonly capability: Capability;
  /** BY_REQUESTER: its result is a secret, made when the requester comes for it and kept nowhere. */
  readonly execution: ApprovalRequested['data']['execution'];
}

/** The table of sensitive commands; capabilities as in the specification, Operator API. */
export const operationRules: Readonly<Record<SensitiveOperationName, Rule>> = {
  'certificate.revoke': { capability: 'cert:revoke', execution: 'AT_ONCE' },
  'device.deactivate': { capability: 'device:revoke', execution: 'AT_ONCE' },
  'relyingParty.deactivate': { capability: 'rp:write', execution: 'AT_ONCE' },
  'relyingParty.rotateSecret': { capability: 'rp:write', execution: 'BY_REQUESTER' },
  'oidcClient.deactivate': { capability: 'rp:write', execution: 'AT_ONCE' },
  'oidcClient.rotateSecret': { capability: 'rp:write', execution: 'BY_REQUESTER' },
  'organization.revoke': { capability: 'org:write', execution: 'AT_ONCE' },
  'organization.issueSealCertificate': { capability: 'org:write', execution: 'AT_ONCE' },
  'operator.changeRole': { capability: 'admin:manage', execution: 'AT_ONCE' },
  'person.forget': { capability: 'admin:manage', execution: 'AT_ONCE' },
  'assistant.changePrompt': { capability: 'config:write', execution: 'AT_ONCE' },
  'assistant.changeKnowledge': { capability: 'config:write', execution: 'AT_ONCE' },
};

/** What the installation puts under four eyes. */
export interface FourEyesPolicy {
  readonly required: boolean;
  /** Commands beyond those that always are, when required. */
  readonly named: readonly SensitiveOperationName[];
}

export function needsFourEyes(
  { required, named }: FourEyesPolicy,
  operation: SensitiveOperationName,
): boolean {
  const always: readonly SensitiveOperationName[] = alwaysReviewed;
  return required && [...always, ...named].includes(operation);
}

/** What is done with one command. */
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

import type { ArticleText, PromptName } from '../../domain/assistant/events.ts';
import type { OperatorRole } from '../../domain/operator/capabilities.ts';
import type { RelyingPartySettings } from '../../domain/relyingParty/events.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';

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
  | {
      readonly operation: 'relyingParty.register';
      /** UUID it will have. */
      readonly relyingPartyId: string;
      readonly settings: RelyingPartySettings;
    }
  | {
      readonly operation: 'relyingParty.edit';
      readonly relyingPartyId: string;
      readonly changes: Partial<RelyingPartySettings>;
    }
  | { readonly operation: 'relyingParty.rotateSecret'; readonly relyingPartyId: string }
  | { readonly operation: 'oidcClient.deactivate'; readonly clientId: string }
  | { readonly operation: 'projection.skip'; readonly readModel: string; readonly eventId: string }
  | { readonly operation: 'oidcClient.rotateSecret'; readonly clientId: string }
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
export function sealedCommand(command: SensitiveCommand): {
  readonly command: string;
  readonly commandHash: string;
} {
  const sorted = Object.entries(command).sort(([one], [other]) => (one < other ? -1 : 1));
  const text = JSON.stringify(Object.fromEntries(sorted));
  return { command: text, commandHash: sha256Hex(text) };
}

/** The command an approval holds. @throws Error when it is not the one whose hash was kept */
export function openedCommand({
  command,
  commandHash,
}: {
  readonly command: string;
  readonly commandHash: string;
}): SensitiveCommand {
  if (sha256Hex(command) !== commandHash) throw new Error('The approved command was altered.');
  return JSON.parse(command) as SensitiveCommand;
}

import type { ApprovalEffect } from '../../domain/approval/events.ts';
import { personEtsi } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { streamOf } from '../../domain/shared/streams.ts';
import type { Citizens } from '../aggregates.ts';
import type { DocumentFate } from '../document/eraseDocuments.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { CitizenHoldings } from '../ports/citizenHoldings.ts';
import type { CivilRegistry } from '../ports/civilRegistry.ts';
import type { PersonalDataVault } from '../ports/personalDataVault.ts';
import type { SensitiveOperation } from './operations.ts';

export interface PersonOperationsDependencies {
  readonly citizens: Citizens;
  readonly civilRegistry: CivilRegistry;
  readonly holdings: CitizenHoldings;
  readonly vault: Pick<PersonalDataVault, 'isForgotten'>;
  /** Forgets a person known by civil id; may be repeated. */
  readonly forget: (civilId: string, context: CommandContext) => Promise<void>;
  /** The fate of the files of their documents. */
  readonly foreseeDocuments: (civilId: string) => Promise<DocumentFate>;
}

/** Forgetting people. */
export function personOperations({
  citizens,
  civilRegistry,
  holdings,
  vault,
  forget,
  foreseeDocuments,
}: PersonOperationsDependencies): {
  readonly 'person.forget': SensitiveOperation<'person.forget'>;
} {
  async function heldEffects(civilId: string): Promise<readonly ApprovalEffect[]> {
    const devices = await holdings.activeDocumentNumbersOf(civilId);
    const certificates = await holdings.openCertificatesOf(civilId);
    return [
      ...devices.map((number) => ({
        target: `device ${number}`,
        before: 'ACTIVE',
        after: 'DEACTIVATED',
      })),
      ...certificates.map(({ serial, isIssued }) => ({
        target: `certificate ${serial}`,
        before: isIssued ? 'VALID' : 'REQUESTED',
        after: 'REVOKED for reason 5',
      })),
    ];
  }

  async function documentEffects(civilId: string): Promise<readonly ApprovalEffect[]> {
    const { kept, erased } = await foreseeDocuments(civilId);
    return [
      ...erased.map((id) => ({ target: `document ${id}`, before: 'READABLE', after: 'ERASED' })),
      ...kept.map(({ documentId, reason }) => ({
        target: `document ${documentId}`,
        before: 'READABLE',
        after: `KEPT, ${reason}`,
      })),
    ];
  }

  /** @throws Refusal PERSON_NOT_FOUND */
  async function assertKnown(civilId: string, isCitizen: boolean): Promise<void> {
    if (isCitizen || (await vault.isForgotten(civilId))) return;
    const record = await civilRegistry.find({ type: 'civilId', civilId });
    if (record === null) throw new Refusal('PERSON_NOT_FOUND');
  }

  return {
    'person.forget': {
      async plan({ civilId }) {
        const { state, revision } = await citizens.load(civilId);
        await assertKnown(civilId, revision !== null);
        const subject = personEtsi(civilId);
        const erased = { target: `person ${subject}`, before: state.status, after: 'FORGOTTEN' };
        return {
          subject,
          civilId,
          effects: [erased, ...(await heldEffects(civilId)), ...(await documentEffects(civilId))],
          targets: [{ stream: streamOf('citizen', civilId), revision }],
        };
      },
      async execute({ civilId }, context) {
        await forget(civilId, context);
        return null;
      },
    },
  };
}

import type { RegisterName } from '../../domain/registerImport/events.ts';
import type { ApprovalEffect } from '../../domain/approval/events.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { ImportReport } from '../registerImport/importRegister.ts';
import type { SensitiveOperation } from './operations.ts';
import type { ImportUpload, RegisterUploads } from './ports/registerUploads.ts';
import type { CommandContext } from '../handleCommand.ts';

export interface RegisterOperationsDependencies {
  readonly uploads: RegisterUploads;
  readonly importUpload: ImportUpload;
  /** Origin of a comparison, which leaves no event. */
  readonly noOrigin: () => CommandContext;
}

/** Imports of files that operators uploaded into the registers. */
export function registerOperations({
  uploads,
  importUpload,
  noOrigin,
}: RegisterOperationsDependencies): {
  readonly 'register.import': SensitiveOperation<'register.import'>;
} {
  /** @throws Refusal CONFLICT when it is not kept, or not any more */
  async function kept(register: RegisterName, digest: string) {
    const upload = await uploads.find(register, digest);
    if (upload !== null) return upload;
    throw new Refusal('CONFLICT', {
      detail: 'No file with this SHA-256 is stored for this register. Upload it again.',
    });
  }

  return {
    'register.import': {
      async plan({ register, digest }) {
        const upload = await kept(register, digest);
        const { content } = upload;
        const report =
          content === null
            ? null
            : await importUpload({ ...upload, content }, { dryRun: true, context: noOrigin() });
        return {
          subject: digest,
          civilId: null,
          effects: report === null ? [] : effectsOf(report),
          targets: [],
        };
      },
      async execute({ register, digest }, context) {
        const upload = await kept(register, digest);
        const { content } = upload;
        // Imported before the outcome was recorded.
        if (content === null) return null;
        await importUpload({ ...upload, content }, { dryRun: false, context });
        await uploads.imported(register, digest);
        return null;
      },
    },
  };
}

function effectsOf({ register, added, changed }: ImportReport): readonly ApprovalEffect[] {
  const name = register === 'civil' ? 'civil' : 'organization';
  return [
    { target: `records added to the ${name} register`, before: '0', after: String(added) },
    { target: `records changed in the ${name} register`, before: '0', after: String(changed) },
  ].filter(({ after }) => after !== '0');
}

import type { CsvFault } from './csvLines.ts';

/** A file that was not imported, or only in part because it changed while being read. */
export class RegistryImportRefused extends Error {
  override readonly name = 'RegistryImportRefused';
  readonly faults: readonly CsvFault[];

  constructor(registry: 'civil' | 'organization', faults: readonly CsvFault[]) {
    super(
      `The ${registry} registry file was refused.\n${faults
        .map(({ line, detail }) => `line ${line}: ${detail}`)
        .join('\n')}`,
    );
    this.faults = faults;
  }
}

import type {
  ImportCounts,
  ImportReport,
} from '../../application/registerImport/importRegister.ts';
import type { RegisterName } from '../../domain/registerImport/events.ts';
import type { FileFormat } from '../../infrastructure/registry/registerLines.ts';
import { withService } from './openService.ts';
import { say } from './say.ts';

export interface ImportCommandOptions {
  readonly format?: FileFormat;
  readonly dryRun: boolean;
  readonly json: boolean;
}

const PROGRESS_MS = 3000;

/**
 * Imports a file into a register: progress on standard error, the report on standard output.
 *
 * @returns the exit code: 1 when lines were refused
 */
export async function importFile(
  register: RegisterName,
  path: string,
  { format, dryRun, json }: ImportCommandOptions,
): Promise<0 | 1> {
  let report: ImportReport | undefined;
  await withService(
    async (service) => {
      const onProgress = tellingProgress();
      report = await service.importRegister(register, path, { format, dryRun, onProgress });
    },
    { bulk: true },
  );
  if (report === undefined) return 1;
  say(json ? JSON.stringify(report, null, 2) : reportText(report));
  return report.refused === 0 ? 0 : 1;
}

function tellingProgress(): (soFar: ImportCounts) => void {
  const started = performance.now();
  let told = started;
  return ({ lines, added, changed, refused }) => {
    const now = performance.now();
    if (now - told < PROGRESS_MS) return;
    told = now;
    const perSecond = Math.round((lines / (now - started)) * 1000);
    process.stderr.write(
      `${lines} lines, ${perSecond} a second: ${added} added, ${changed} changed, ${refused} refused …\n`,
    );
  };
}

/** The report for people: the numbers, then each refused line. */
export function reportText(report: ImportReport): string {
  const { register, dryRun, importId, digest, lines, refused, refusals } = report;
  const more = refused - refusals.length;
  return [
    dryRun ? 'Dry run: nothing was written.' : `Import ${importId ?? ''}.`,
    `register   ${register}`,
    `SHA-256    ${digest}`,
    `lines      ${lines}`,
    ...(['added', 'changed', 'unchanged', 'forgotten', 'refused'] as const).map(
      (name) => `${name.padEnd(9)}  ${report[name]}`,
    ),
    ...refusals.map(({ line, reason }) => `line ${line}: ${reason}`),
    ...(more > 0 ? [`and ${more} more lines.`] : []),
  ].join('\n');
}

import { pipeline } from 'node:stream/promises';
import type { AuditEventType } from '../../domain/events.ts';
import type { Comparison } from '../../projections/engine/compare.ts';
import { withService } from './openService.ts';
import { say } from './say.ts';

/** Options of `./tamga audit export`. */
export interface ExportCommandOptions {
  readonly csv: boolean;
  readonly jsonl: boolean;
  readonly type?: AuditEventType;
  readonly subject?: string;
}

/** Writes the audit trail as CSV, or the raw events as JSON Lines, to standard output. */
export async function exportAudit(
  format: 'csv' | 'jsonl',
  filter: Pick<ExportCommandOptions, 'type' | 'subject'>,
): Promise<void> {
  await withService(async ({ auditExports }) => {
    const pieces = format === 'csv' ? await auditExports.csv(filter) : await auditExports.events();
    await pipeline(pieces, process.stdout, { end: false });
  });
}

/** Rebuilds all read models from an exported log and compares them with the running ones. */
export async function replay(path: string): Promise<void> {
  await withService(async (service) => {
    const progress = (name: string) => process.stderr.write(`${name} …\n`);
    const { log, models, isEqual } = await service.auditExports.replay(path, progress);
    say(`${log.events} events; ${faults(log.faultCount)} in the export.`);
    for (const { line, text } of log.faults) say(`  line ${line}: ${text}`);
    for (const model of models) {
      if (model.failure !== null) say(`${model.name}: cannot be rebuilt. ${model.failure}`);
      else for (const line of described(model)) say(line);
    }
    say(
      isEqual
        ? 'The running read models match those rebuilt from the export.'
        : 'The running read models differ from those rebuilt from the export.',
    );
    if (!isEqual) process.exitCode = 1;
  });
}

function described(model: Comparison & { readonly name: string }): readonly string[] {
  const { name, rows, different, first, notCompared } = model;
  const outcome = different === 0 ? 'equal' : `${different} different`;
  return [
    `${name}: ${rows} rows, ${outcome}.`,
    ...(first === null ? [] : [`  first difference: ${first.key}: ${first.columns.join(', ')}`]),
    ...Object.entries(notCompared).map(
      ([column, count]) =>
        `  ${column} of ${count} rows cannot be compared, because the data keys of the persons are destroyed.`,
    ),
  ];
}

function faults(count: number): string {
  return count === 0 ? 'no fault' : `${count} faults`;
}

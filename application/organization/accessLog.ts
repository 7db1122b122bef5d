import type { AccessEvent } from '../../domain/access/events.ts';
import { type CommandContext, createJournal, type JournalDependencies } from '../handleCommand.ts';

/** Records audit events without a decider. Resolved means durable. */
export type AccessLog = (event: AccessEvent, context: CommandContext) => Promise<void>;

/** Appends to the stream of the day. */
export function createAccessLog(dependencies: JournalDependencies): AccessLog {
  const journal = createJournal<AccessEvent>('access', dependencies);
  return async (event, context) => {
    const day = dependencies.clock.now().toISOString().slice(0, 10);
    await journal.record(day, event, context);
  };
}

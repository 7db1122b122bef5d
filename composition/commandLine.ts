import type { CommandContext } from '../application/handleCommand.ts';
import { systemRandomness } from '../infrastructure/system.ts';

/** A command given on the machine itself. */
export function commandLine(): CommandContext {
  const id = systemRandomness.uuid();
  return {
    actor: { kind: 'operator', id: 'command line' },
    correlationId: id,
    causationId: id,
    requestId: null,
    ip: null,
  };
}

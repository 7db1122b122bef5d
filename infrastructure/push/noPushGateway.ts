import type { PushGateway } from '../../application/reactors/ports/push.ts';

/** Push gateway used when none is configured: phones find sessions in their inbox. */
export function createNoPushGateway(): PushGateway {
  return { notify: () => Promise.resolve() };
}

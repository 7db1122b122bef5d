import type { PushGateway } from '../../application/ports/push.ts';

/** Sends nothing: phones find sessions in their inbox. */
export function createNoPushGateway(): PushGateway {
  return { notify: () => Promise.resolve() };
}

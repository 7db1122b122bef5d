import { createServiceHere } from '../../support/installation/serviceHere.ts';
import { serveChild } from '../support/childServer.ts';

// Projector and worker in a process of their own: what they enter is not taken for what a request enters before its
// answer.

await serveChild<Readonly<Record<string, string>>>(async (settings) => {
  const service = createServiceHere({ ...settings, SVC_ROLES: 'projector,worker' });
  await service.start();
  return { port: 0, stop: () => service.stop() };
});

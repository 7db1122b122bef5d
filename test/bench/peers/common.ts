import type { Server } from 'node:http';
import { z } from 'zod';

/** Body of a G1 authentication request (contract §2), as the peers validate it. */
export const createBody = z.object({
  relyingPartyUUID: z.uuid(),
  relyingPartyName: z.string().max(120),
  certificateLevel: z.enum(['ADVANCED', 'QUALIFIED', 'QSCD']).optional(),
  signatureProtocol: z.literal('ACSP_V2').optional(),
  rpChallenge: z.base64().min(44).max(88),
  interactions: z
    .array(z.object({ type: z.literal('displayTextAndPIN'), displayText60: z.string().max(60) }))
    .min(1),
});

export const RUNNING = { state: 'RUNNING' };

/** Listens on a free port of 127.0.0.1 with a large backlog. Idle connections are kept open. */
export async function listen(server: Server): Promise<number> {
  server.keepAliveTimeout = 600_000;
  server.requestTimeout = 0;
  await new Promise<void>((resolve) => {
    server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Not listening on TCP.');
  return address.port;
}

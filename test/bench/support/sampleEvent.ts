import { randomUUID } from 'node:crypto';
import type { EncodedEvent } from '../../../application/ports/eventLog.ts';

/** Event of the size of a started session in the log: about 330 bytes of data, 170 of metadata. */
export const sampleData = {
  sessionId: '7f1fc1f0-4a4f-4c2a-9a52-0a6a0f2f6f5e',
  kind: 'AUTHENTICATION',
  flow: 'NOTIFICATION',
  generation: 'G1',
  relyingPartyId: '0d3f1f0a-7c9e-4a83-8d0e-53c2a9c9b1aa',
  certificateLevel: 'QUALIFIED',
  rpChallenge: 'GYS+yoah6emAcVDNIajwSs6UB/M95XrDxMzXBUkwQJ8=',
  verificationCode: '7180',
  startedAt: '2026-01-01T00:00:00.000Z',
};

export const sampleMetadata = {
  time: '2026-01-01T00:00:00.000Z',
  actor: { kind: 'relyingParty', id: '0d3f1f0a-7c9e-4a83-8d0e-53c2a9c9b1aa' },
  correlationId: '7f1fc1f0-4a4f-4c2a-9a52-0a6a0f2f6f5e',
  causationId: '1',
};

const data = JSON.stringify(sampleData);
const metadata = JSON.stringify(sampleMetadata);

/** Creates an event of that size. */
export function sampleEvent(): EncodedEvent {
  return { id: randomUUID(), type: 'SessionStarted', data, metadata };
}

/** JSON texts, for peers that use SQL. */
export const sampleTexts = { data, metadata };

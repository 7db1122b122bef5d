import { type Documents, readDocument } from '../document/documents.ts';
import type { SettleSigning } from '../document/settleSigning.ts';
import type { Clock } from '../ports/clock.ts';
import type { OpenSigning, OpenSignings } from './ports/documentViews.ts';
import type { Reactor } from './reactor.ts';
import { createSweep, type SweepDependencies } from './sweep.ts';

export interface SigningSettlementOptions extends Omit<SweepDependencies, 'everyMs'> {
  readonly documents: Documents;
  readonly signings: OpenSignings;
  readonly settle: SettleSigning;
  readonly clock: Clock;
  /** Milliseconds between sweeps; default 1000. */
  readonly everyMs?: number;
}

/** Records signatures that no request polls for, and ends signing requests that were not answered. */
export function createSigningSettlement(options: SigningSettlementOptions): Reactor {
  const { documents, signings, settle, clock, everyMs = 1000 } = options;
  const page = (limit: number, after: OpenSigning | null) =>
    signings.endedSignings(limit, after, clock.now().toISOString());
  const each = async ({ documentId }: OpenSigning) => {
    await settle(await readDocument(documents, { documentId, tenantId: null }));
  };
  return createSweep('settleSignings', { page, each }, { ...options, everyMs });
}

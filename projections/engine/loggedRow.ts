import type { EventStore, RecordedEvent } from '../../application/ports/eventStore.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import type { PersonalDataVault } from '../../application/ports/personalDataVault.ts';
import { streamOf } from '../../domain/shared/streams.ts';
import { type AnyReadModel, categoriesOf, foldBatch } from './readModel.ts';

/**
 * The row of one stream as the log has it, folded as the read model folds it; null: there is none.
 *
 * @throws Unavailable; of readModels: an event of it cannot be decoded or folded
 */
export type LoggedRow = <Row>(model: AnyReadModel, id: string) => Promise<Row | null>;

/** Reads rows from their streams. */
export function createLoggedRow(
  eventStore: Pick<EventStore, 'read'>,
  vault: PersonalDataVault,
): LoggedRow {
  return async <Row>(model: AnyReadModel, id: string) => {
    const [category] = categoriesOf(model);
    if (category === undefined) return null;
    try {
      const events: RecordedEvent[] = [];
      for await (const event of eventStore.read(streamOf(category, id))) events.push(event);
      const changes = await foldBatch(model, events, () => Promise.resolve(new Map()), vault);
      return (changes.get(id)?.after as Row | undefined) ?? null;
    } catch (error) {
      throw error instanceof Unavailable ? error : new Unavailable('readModels', error);
    }
  };
}

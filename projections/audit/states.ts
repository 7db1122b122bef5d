import type { RecordedEvent } from '../../application/ports/eventStore.ts';
import type { StreamCategory } from '../../domain/events.ts';
import { type OperatorEvent, operatorEvents } from '../../domain/operator/events.ts';
import { operatorsDecider } from '../../domain/operator/operators.ts';
import { identifierOf } from '../../domain/shared/streams.ts';
import { type AnyReadModel, type AnyRow, categoriesOf, fieldName } from '../engine/readModel.ts';
import { readModels } from '../readModels.ts';

/** Audited state of a thing, by name; nothing secret, nothing personal. */
export type ShownState = Readonly<Record<string, unknown>>;

/** The state of the audit's subject after events of one stream; null: none. */
type StateOf = (events: readonly RecordedEvent[], subject: string) => ShownState | null;

/** Shows the columns a read model names, and no other. */
function shownBy(model: AnyReadModel, columns: readonly string[]): StateOf {
  return (events) => {
    let row: AnyRow | undefined;
    for (const recorded of events) {
      row = model.evolve(row, recorded.event, identifierOf(recorded.stream), recorded) ?? row;
    }
    if (row === undefined) return null;
    const shown = row;
    return Object.fromEntries(columns.map((column) => [fieldName(column), shown[column]]));
  };
}

const operatorState: StateOf = (events, subject) => {
  let operators = operatorsDecider.initial;
  for (const { event } of events) {
    operators = operatorsDecider.evolve(operators, event as OperatorEvent);
  }
  const operator = operators.get(subject);
  if (operator === undefined) return null;
  const { role, active, mustChangePassword, secondFactor, deactivatedAt } = operator;
  const secondFactorEnrolled = secondFactor !== null;
  return { role, active, mustChangePassword, secondFactorEnrolled, deactivatedAt };
};

/** Audited state of each kind of stream. Streams without an entry have no state. */
export const shownStates: ReadonlyMap<string, StateOf> = new Map([
  ...readModels.flatMap((model: AnyReadModel): readonly (readonly [StreamCategory, StateOf])[] => {
    const { shown } = model;
    if (shown === null) return [];
    return categoriesOf(model).map((category) => [category, shownBy(model, shown)]);
  }),
  [operatorEvents.category, operatorState],
]);

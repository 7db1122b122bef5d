import { expect } from 'chai';
import { fieldWords } from '../../api/pages/words/fieldWords.ts';
import { eventTypes } from '../../domain/events.ts';
import { readModels } from '../../projections/readModels.ts';
import { type AnyReadModel, fieldName } from '../../projections/engine/readModel.ts';
import { readFixtures } from '../support/events/eventFixtures.ts';

/** Fields of a group are shown by themselves. */
const groups = ['settings'];

/** Fields an operator's own state has (projections/audit/states.ts). */
const ofOperators = ['role', 'active', 'mustChangePassword', 'secondFactorEnrolled'];

/** Fields of every event's audit, and of the states beside them. */
async function fields(): Promise<ReadonlySet<string>> {
  const details = (await readFixtures()).flatMap(({ type, decoded }) => {
    const rule = eventTypes.get(type)?.audit;
    return Object.keys(rule?.details?.(decoded.event.data) ?? {});
  });
  const states = readModels.flatMap((model: AnyReadModel) => (model.shown ?? []).map(fieldName));
  return new Set([...details, ...states, ...ofOperators]);
}

describe('The fields of the audit', () => {
  it('have words in both languages, every one of them', async () => {
    const all = [...(await fields())];
    expect(all.length).to.be.greaterThan(100);
    expect(
      all.filter((field) => !Object.hasOwn(fieldWords.keys, field) && !groups.includes(field)),
    ).to.deep.equal([]);
  });
});

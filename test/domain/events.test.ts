import { expect } from 'chai';
import { declarations, eventTypes } from '../../domain/events.ts';
import { event } from '../../domain/shared/defineEvents.ts';
import { text } from '../../domain/shared/eventFields.ts';
import { readModels } from '../../projections/readModels.ts';
import type { AnyReadModel } from '../../projections/engine/readModel.ts';

describe('The declarations of events', () => {
  it('name each type of event and each category of streams once', () => {
    const types = declarations.flatMap(({ events }) => Object.keys(events));
    expect(types).to.have.length(eventTypes.size);
    const categories = declarations.map(({ category }) => category);
    expect(new Set(categories).size).to.equal(categories.length);
  });

  it('have a version from 1 on, and personal fields that are fields of the event', () => {
    for (const [type, { version, data, personal }] of eventTypes) {
      expect(version, type).to.be.at.least(1);
      expect(Object.keys(data), type).to.include.members(Object.keys(personal?.placeholders ?? {}));
    }
  });
});

describe('The declarations of read models', () => {
  it('show auditors no personal column', () => {
    for (const { name, shown, personal = [] } of readModels as readonly AnyReadModel[]) {
      const both = personal.filter((column) => shown?.includes(column) === true);
      expect(both, name).to.deep.equal([]);
    }
  });
});

const data = { civilId: text };
const subject = () => null;
const nameOf = (given: { readonly name: string }) => given.name;

/** Declarations the compiler refuses; never called. */
export const refused = [
  // @ts-expect-error Every event is audited.
  () => event({ data }),
  // @ts-expect-error A personal field is a field of the event.
  () => event({ data, personal: { subject, placeholders: { name: '' } }, audit: { type: 'X' } }),
  // @ts-expect-error The audit reads fields of the event alone.
  () => event({ data, audit: { type: 'X', civilId: nameOf } }),
  // @ts-expect-error An operator's capability is one there is.
  () => event({ data, audit: { type: 'X', capability: 'everything' } }),
];

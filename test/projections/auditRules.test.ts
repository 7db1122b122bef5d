import { expect } from 'chai';
import { auditEventTypes, declarations } from '../../domain/events.ts';
import type { DomainEvent } from '../../domain/shared/decider.ts';
import { catalog } from '../../infrastructure/codec/catalog.ts';
import { auditReadModel } from '../../projections/audit/audit.ts';
import type { AuditRow } from '../../projections/audit/audit.ts';
import { categoriesOf } from '../../projections/engine/readModel.ts';
import { recordable } from '../support/events/exampleEvents.ts';
import { sampleEvents, sampleVariants } from '../support/events/sampleEvents.ts';

function rowOf(event: DomainEvent): AuditRow {
  const recorded = { ...recordable(event), stream: 'any-7', revision: 3n, position: 9n };
  return auditReadModel.evolve(undefined, event, '9', recorded) as unknown as AuditRow;
}

const everyEvent: readonly DomainEvent[] = [
  ...Object.values(sampleEvents),
  ...(Object.values(sampleVariants) as DomainEvent[]),
];

describe('The rules of the audit', () => {
  it('are those of the streams of every category', () => {
    expect(categoriesOf(auditReadModel)).to.deep.equal(
      declarations.map(({ category }) => category),
    );
  });

  it('know each audit type once', () => {
    expect(new Set(auditEventTypes).size).to.equal(auditEventTypes.length);
  });

  it('name a subject and keep personal fields and secrets out of the row', () => {
    for (const event of everyEvent) {
      const row = rowOf(event);
      expect(row.subject, event.type).to.match(/^[-\w:.]+$/u);
      const written = JSON.stringify({ ...row, position: null, revision: null });
      for (const field of Object.keys(catalog[event.type]?.personal?.placeholders ?? {})) {
        for (const text of textsOf((event.data as Record<string, unknown>)[field])) {
          expect(written, `${event.type}.${field}`).to.not.include(text);
        }
      }
      const { secretHash } = event.data as { secretHash?: string };
      if (secretHash !== undefined) expect(written, event.type).to.not.include(secretHash);
    }
  });
});

/** All texts in a value that are long enough to be recognised. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.length > 3 ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

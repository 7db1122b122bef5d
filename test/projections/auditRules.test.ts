import { expect } from 'chai';
import { auditEventTypes, declarations } from '../../domain/events.ts';
import type { AuditRule } from '../../domain/shared/defineEvents.ts';
import type { DomainEvent } from '../../domain/shared/decider.ts';
import { catalog } from '../../infrastructure/codec/catalog.ts';
import { auditReadModel } from '../../projections/audit/audit.ts';
import type { AuditRow } from '../../projections/audit/audit.ts';
import { personalCategories } from '../../projections/audit/personOf.ts';
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

  it('b12: name the person concerned, in the event or in another of its stream, or say why none', () => {
    for (const { category, types } of named()) {
      const naming = types.filter(({ rule }) => rule.civilId !== undefined);
      for (const { type, rule } of types) {
        const isKnown =
          rule.civilId !== undefined ||
          (naming.length > 0 && personalCategories.some((each) => each === category));
        const reason = ofNobody[category] ?? ofNobody[type];
        expect(isKnown !== (reason !== undefined), `${type}: a person, or a reason`).to.equal(true);
      }
    }
  });
});

const administered = 'is administered by operators, and of no citizen';
const organizations = 'is of an organization, which is its subject';

/** Categories and types of events that concern no citizen, or several. */
const ofNobody: Readonly<Record<string, string>> = {
  relyingParty: administered,
  oidcClient: administered,
  operators: 'is of an operator, who is its subject',
  secondFactor: 'is of an operator, who is its subject',
  operatorAccess: 'is of an operator, who is its subject',
  assistantPrompt: administered,
  issuingCa: 'is of an authority of the platform, which is its subject',
  knowledgeArticle: administered,
  documentPolicy: administered,
  organization: organizations,
  sealCertificate: organizations,
  seal: organizations,
  madeDocument: 'is found by a digest alone',
  NameTaken: 'is of a relying party, a client or an organization',
  log: 'is of the installation',
  RegisterImportStarted: 'is of a register; each record has an event of its own',
  RegisterImportCompleted: 'is of a register; each record has an event of its own',
  OrganizationRecordImported: organizations,
  DocumentCreated: 'is for several signers, who are named as they sign',
  DocumentFileAttached: 'is for several signers, who are named as they sign',
  CommandDenied: 'has whom it was about as its subject',
  OperatorRead: 'has whom it was about as its subject',
  ParkedEventSkipped: 'is of the installation',
  WebhookUndelivered: administered,
  WebhookKeysRotated: administered,
  SignalStreamChanged: 'is of a client, which is its subject',
  LogoutUndelivered: 'names the citizen by a pairwise subject alone',
};

/** Rules of all types of events, by category. */
function named() {
  return declarations.map((declaration) => ({
    category: declaration.category,
    types: Object.entries(declaration.events).map(([type, declared]) => ({
      type,
      rule: (declared as { readonly audit: AuditRule }).audit,
    })),
  }));
}

/** All texts in a value that are long enough to be recognised. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.length > 3 ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

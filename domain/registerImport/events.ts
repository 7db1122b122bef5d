import { civilIdOf, organizationOf, personOf } from '../shared/etsi.ts';
import { defineEvents, event, type EventOf } from '../shared/defineEvents.ts';
import { number, oneOf, text } from '../shared/eventFields.ts';

// Storage format: see domain/shared/defineEvents.ts.

/** The registers an installation keeps a copy of: of persons, and of legal entities. */
const registerNames = ['civil', 'organizations'] as const;

export type RegisterName = (typeof registerNames)[number];

const changes = ['ADDED', 'CHANGED'] as const;

/** Change that an import made to a record. */
export type RecordChange = (typeof changes)[number];

/**
 * One import of a file into a register. Its stream is appended to without being read. What a record says stands in no
 * event: it is a copy of another authority's (ADR 56).
 */
export const registerImportEvents = defineEvents('registerImport', {
  RegisterImportStarted: event({
    data: {
      register: oneOf(registerNames),
      /** SHA-256 of the file, lower-case hexadecimal. */
      digest: text,
      startedAt: text,
    },
    audit: {
      type: 'REGISTER_IMPORT_START',
      details: ({ register, digest }) => ({ register, digest }),
    },
  }),

  /** A citizen's record is written. Repeated where an import was interrupted before it was. */
  CivilRecordImported: event({
    data: {
      importId: text,
      civilId: text,
      change: oneOf(changes),
      /** Of the file, from 1. */
      line: number,
    },
    audit: {
      type: 'CIVIL_RECORD_IMPORT',
      subject: personOf,
      civilId: civilIdOf,
      details: ({ importId, change, line }) => ({ importId, change, line }),
    },
  }),

  /** An organization's record is written. Repeated where an import was interrupted before it was. */
  OrganizationRecordImported: event({
    data: {
      importId: text,
      register: text,
      change: oneOf(changes),
      /** Of the file, from 1. */
      line: number,
    },
    audit: {
      type: 'ORG_RECORD_IMPORT',
      subject: organizationOf,
      details: ({ importId, change, line }) => ({ importId, change, line }),
    },
  }),

  /** Every line of the file was read; the numbers are of lines. */
  RegisterImportCompleted: event({
    data: {
      register: oneOf(registerNames),
      lines: number,
      added: number,
      changed: number,
      unchanged: number,
      /** Left out: persons who were forgotten. */
      forgotten: number,
      refused: number,
      completedAt: text,
    },
    audit: {
      type: 'REGISTER_IMPORT',
      details: ({ register, lines, added, changed, unchanged, forgotten, refused }) => ({
        register,
        lines,
        added,
        changed,
        unchanged,
        forgotten,
        refused,
      }),
    },
  }),
});

export type RegisterImportEvent = EventOf<typeof registerImportEvents>;

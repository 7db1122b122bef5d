/** Identification of an event by its line in an exported log. */
export interface NamedLine {
  /** Of the export, from 1. */
  readonly line: number;
  /** Fields of the line; null: malformed. */
  readonly event: { readonly position: bigint; readonly id: string } | null;
}

/**
 * Reason why an exported log fails verification; of several bad events the first. Indexes count events from 0, sentences
 * from 1, as lines.
 */
export type ExportFault =
  | { readonly kind: 'noHead' }
  | { readonly kind: 'noKey' }
  | { readonly kind: 'wrongKey'; readonly treeSize: number; readonly keyId: string }
  | { readonly kind: 'uncertifiedKey'; readonly treeSize: number; readonly keyId: string }
  | { readonly kind: 'badSignature'; readonly treeSize: number }
  | { readonly kind: 'forked'; readonly treeSize: number; readonly other: number }
  | { readonly kind: 'altered' | 'damaged'; readonly index: number; readonly at: NamedLine }
  | { readonly kind: 'inserted' | 'unsigned'; readonly index: number; readonly at: NamedLine }
  | { readonly kind: 'repeated'; readonly original: number; readonly at: NamedLine }
  | {
      readonly kind: 'removed';
      readonly index: number;
      readonly count: number;
      readonly at: NamedLine;
    }
  | { readonly kind: 'swapped' | 'moved'; readonly at: NamedLine; readonly found: NamedLine }
  | { readonly kind: 'disordered'; readonly at: NamedLine; readonly previous: bigint }
  | { readonly kind: 'truncated'; readonly index: number; readonly treeSize: number }
  | { readonly kind: 'unproven'; readonly index: number; readonly at: NamedLine };

/** A sentence naming the fault and its location, distinct for each kind. */
export function describeExportFault(fault: ExportFault): string {
  switch (fault.kind) {
    case 'noHead':
      return 'No signed tree head was given to verify against.';
    case 'noKey':
      return 'No key was given to verify the signed tree heads with: the file of keys contains none.';
    case 'wrongKey':
      return `The tree head of ${fault.treeSize} events was signed with another key (${fault.keyId}) than those given.`;
    case 'uncertifiedKey':
      return `The tree head of ${fault.treeSize} events was signed with a key (${fault.keyId}) that the given Root CA did not certify.`;
    case 'badSignature':
      return `The signature of the tree head of ${fault.treeSize} events is wrong: the head was altered or never signed.`;
    case 'forked':
      return `The signed tree heads of ${fault.treeSize} and of ${fault.other} events contradict each other: the log was forked.`;
    case 'truncated':
      return `The end is missing: the signed log has ${fault.treeSize} events, but the export ends before event ${fault.index + 1}.`;
    default:
      return describeBadLine(fault);
  }
}

type BadLine = Extract<ExportFault, { readonly at: NamedLine }>;

function describeBadLine(fault: BadLine): string {
  const bad = `First bad event: ${nameOf(fault.at)}`;
  switch (fault.kind) {
    case 'altered':
      return `${bad} was altered: it is not event ${fault.index + 1} as it was signed.`;
    case 'damaged':
      return `${bad} is damaged: the line is not in the form in which an export writes it.`;
    case 'inserted':
      return `${bad} was inserted: no such event was signed, and event ${fault.index + 1} follows it.`;
    case 'repeated':
      return `${bad} was inserted: it repeats event ${fault.original + 1}.`;
    case 'unsigned':
      return `${bad} was appended: the signed log ends before it.`;
    case 'removed':
      return fault.count === 1
        ? `${bad} follows where event ${fault.index + 1} was removed.`
        : `${bad} follows where events ${fault.index + 1} to ${fault.index + fault.count} were removed.`;
    case 'swapped':
      return `${bad} was swapped with ${nameOf(fault.found)}.`;
    case 'moved':
      return `${bad} is out of order: the event that belongs here is at ${nameOf(fault.found)}.`;
    case 'disordered':
      return `${bad} is out of order by its position, which follows ${fault.previous}.`;
    case 'unproven':
      return `${bad} cannot be verified: the proof of event ${fault.index + 1} is missing or damaged.`;
  }
}

function nameOf({ line, event }: NamedLine): string {
  return event === null
    ? `line ${line}`
    : `line ${line} (position ${event.position}, id ${event.id})`;
}

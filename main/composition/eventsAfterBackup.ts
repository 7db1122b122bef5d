import type { ShownRevocation } from '../../application/log/ports/evidence.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { IssuingAuthority } from '../../domain/certificate/events.ts';
import type { StoredEvent } from '../../domain/merkle/hashTree.ts';
import { revocationReasons } from '../../domain/shared/revocationReason.ts';

/** Commands done again for events of an export; each takes the id the events name. */
export interface Repeating {
  deactivateDevice(documentNumber: string, reason: number): Promise<void>;
  rotateSecret(relyingPartyId: string): Promise<unknown>;
  deactivateRelyingParty(relyingPartyId: string): Promise<void>;
  rotateClientSecret(clientId: string): Promise<unknown>;
  deactivateClient(clientId: string): Promise<unknown>;
  deactivateOperator(operatorId: string): Promise<unknown>;
  forgetPerson(civilId: string): Promise<unknown>;
}

/** Events after which something no longer holds, and that no command here repeats by itself. */
const ending: ReadonlySet<string> = new Set([
  'ApprovalRejected',
  'ConsentWithdrawn',
  'DevicePinLocked',
  'DocumentPolicyChanged',
  'EnrolmentsBlocked',
  'IssuingCaActivated',
  'OidcClientEdited',
  'OperatorRoleChanged',
  'OrganizationRevoked',
  'OrganizationSuspended',
  'PasswordChanged',
  'RelyingPartyEdited',
  'RightWithdrawn',
  'SealingWithdrawn',
  'SecondFactorReset',
  'SubsystemDeactivated',
]);

/** A command that does again what an event says. */
interface Repetition {
  readonly what: string;
  readonly work: () => Promise<unknown>;
}

type EventData = Readonly<Record<string, unknown>>;

/** Maps types of events to the command that does the same again. */
function repetitions(
  by: Repeating,
): Readonly<Partial<Record<string, (data: EventData) => Repetition>>> {
  const doing =
    (
      name: string,
      what: (id: string) => string,
      work: (id: string, data: EventData) => Promise<unknown>,
    ) =>
    (data: EventData): Repetition => {
      const id = String(data[name]);
      return { what: what(id), work: () => work(id, data) };
    };
  const giveNew = 'was rotated: neither the old nor the new one works, so issue another';
  return {
    DeviceDeactivated: doing(
      'documentNumber',
      (id) => `phone ${id} deactivated`,
      (id, { reason }) => by.deactivateDevice(id, Number(reason)),
    ),
    SecretRotated: doing(
      'relyingPartyId',
      (id) => `secret of relying party ${id} ${giveNew}`,
      (id) => by.rotateSecret(id),
    ),
    RelyingPartyDeactivated: doing(
      'relyingPartyId',
      (id) => `relying party ${id} deactivated`,
      (id) => by.deactivateRelyingParty(id),
    ),
    OidcClientSecretRotated: doing(
      'clientId',
      (id) => `secret of client ${id} ${giveNew}`,
      (id) => by.rotateClientSecret(id),
    ),
    OidcClientDeactivated: doing(
      'clientId',
      (id) => `client ${id} deactivated`,
      (id) => by.deactivateClient(id),
    ),
    OperatorDeactivated: doing(
      'operatorId',
      (id) => `operator ${id} deactivated`,
      (id) => by.deactivateOperator(id),
    ),
    PersonForgotten: doing(
      'civilId',
      (id) => `person of civil id ${id} forgotten`,
      (id) => by.forgetPerson(id),
    ),
  };
}

/** Request of a certificate, as far as its revocation needs it. */
export interface RequestOfCertificate {
  readonly authority: IssuingAuthority;
  /** ISO 8601. */
  readonly notAfter: string;
}

/** Sums up what the events after a backup say, each thing once. */
export async function sumUp(
  events: AsyncIterable<StoredEvent>,
  {
    repeating,
    requestOf,
    clock,
  }: {
    readonly repeating: Repeating;
    /** Request that the backup has; null: none. */
    readonly requestOf: (serial: string) => Promise<RequestOfCertificate | null>;
    readonly clock: Clock;
  },
) {
  const issued = new Map<string, RequestOfCertificate>();
  const revocations = new Map<string, ShownRevocation>();
  const repeated = new Map<string, Repetition>();
  const commands = repetitions(repeating);
  const undone = new Set<string>();
  const lost = new Map<string, number>();
  let upTo: bigint | null = null;
  for await (const event of events) {
    const { type, stream, data: text } = event;
    upTo = event.position;
    const data = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const named = (name: string) => String(data[name]);
    const serial = named('serial');
    const revoke = async (reason: number, at: string | Date) => {
      const request = issued.get(serial) ?? (await requestOf(serial));
      if (request === null) {
        count(lost, type);
        return;
      }
      const { authority, notAfter } = request;
      const ends = { authority, notAfter: new Date(notAfter) };
      revocations.set(serial, { serial, ...ends, reason, revokedAt: new Date(at) });
    };
    switch (type) {
      case 'CertificateRequested':
        issued.set(serial, {
          authority: named('authority') as IssuingAuthority,
          notAfter: named('notAfter'),
        });
        // Nobody could revoke it here any more; its holder is given another one.
        if (isOfHolder(data)) await revoke(revocationReasons.cessationOfOperation, clock.now());
        count(lost, type);
        break;
      case 'CertificateRevoked':
        await revoke(Number(data['reason']), named('revokedAt'));
        break;
      case 'CertificateSuspended':
        if (!issued.has(serial)) {
          await revoke(revocationReasons.certificateHold, named('suspendedAt'));
        }
        break;
      case 'CertificateReinstated':
        if (issued.has(serial)) await revoke(revocationReasons.cessationOfOperation, clock.now());
        else revocations.delete(serial);
        break;
      default: {
        const again = commands[type]?.(data);
        if (again !== undefined) repeated.set(again.what, again);
        else if (ending.has(type)) undone.add(`${type} of ${stream} is lost: repeat it`);
        else count(lost, type);
      }
    }
  }
  return { revocations, repeated, undone, lost, upTo };
}

/** False for a certificate of the platform itself. */
function isOfHolder({ holder }: Readonly<Record<string, unknown>>): boolean {
  return (holder as { readonly kind?: unknown }).kind !== 'service';
}

function count(counts: Map<string, number>, type: string): void {
  counts.set(type, (counts.get(type) ?? 0) + 1);
}

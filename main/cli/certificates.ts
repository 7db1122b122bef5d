import { withService } from './openService.ts';
import { say } from './say.ts';

interface ListOptions {
  readonly citizen?: string;
  readonly device?: string;
  readonly services?: boolean;
}

/** Lists certificates, the newest first, one per line. */
export async function list({ citizen, device, services }: ListOptions): Promise<void> {
  await withService(async (service) => {
    const found = await service.listCertificates({
      ...(citizen === undefined ? {} : { civilId: citizen }),
      ...(device === undefined ? {} : { documentNumber: device }),
      ...(services === true ? { holderKind: 'service' } : {}),
    });
    for (const { serial, type, level, holder, status, reason, notAfter, supersededBy } of found) {
      const held =
        holder.kind === 'citizen'
          ? `${holder.civilId} ${holder.documentNumber}`
          : holder.kind === 'organization'
            ? holder.register
            : holder.purpose;
      const shown = reason === null ? status : `${status} (${reason})`;
      const until = notAfter.slice(0, 10);
      const superseded = supersededBy === null ? '' : `  superseded by ${supersededBy}`;
      say(
        `${serial}  ${type.padEnd(8)}  ${(level ?? '').padEnd(9)}  ${shown.padEnd(13)}  until ${until}  ${held}${superseded}`,
      );
    }
  });
}

/** Revokes a certificate and deactivates its device; reason 6 (certificate hold) suspends it. */
export async function revoke(
  serial: string,
  { reason }: { readonly reason: number },
): Promise<void> {
  await withService(async (service) => {
    await service.revokeCertificate(serial, reason);
    say(reason === 6 ? 'Suspended.' : 'Revoked.');
  });
}

/** Releases a certificate from hold. */
export async function reinstate(serial: string): Promise<void> {
  await withService(async (service) => {
    await service.reinstateCertificate(serial);
    say('Released from hold.');
  });
}

/** Deactivates a device and revokes its certificates. */
export async function deactivateDevice(
  documentNumber: string,
  { reason }: { readonly reason: number },
): Promise<void> {
  await withService(async (service) => {
    await service.deactivateDevice(documentNumber, reason);
    say('Deactivated. Its certificates are revoked.');
  });
}

import type { EventLog } from '../../application/ports/eventLog.ts';
import type { RelyingPartySettings } from '../../domain/relyingParty/events.ts';
import { readConfig } from '../../infrastructure/config.ts';
import { createService } from '../../main.ts';
import { serveChild } from './childServer.ts';

// The whole service as it runs in production, in a process of its own, with two things added for measuring: it notes
// when each append became durable, and it answers the bench's questions about its memory.

interface Settings {
  /** SVC_* variables; nothing else of the environment is read. */
  readonly environment: Readonly<Record<string, string>>;
}

/** When appends were acknowledged, by stream, `process.hrtime` in milliseconds: comparable between processes. */
let stamps: [stream: string, at: number][] | null = null;

function stamping(log: EventLog): EventLog {
  return {
    ...log,
    append: async (stream, events, expected) => {
      const appended = await log.append(stream, events, expected);
      stamps?.push([stream, Number(process.hrtime.bigint()) / 1e6]);
      return appended;
    },
  };
}

await serveChild<Settings>(async ({ environment }) => {
  const service = createService(readConfig(environment), { aroundLog: stamping });
  await service.start();
  return {
    port: Number(new URL(service.origin).port),
    answers: {
      registerRelyingParty: (settings) =>
        service.registerRelyingParty(settings as RelyingPartySettings),
      importCivilRegistry: (csvPath) => service.importCivilRegistry(csvPath as string),
      /** Of authentication certificates: revoking one takes the other with it. */
      validSerials: async () => {
        const certificates = await service.listCertificates({ holderKind: 'citizen' });
        return certificates
          .filter(({ type, status }) => type === 'AUTH' && status === 'VALID')
          .map(({ serial }) => serial);
      },
      revoke: (serial) => service.revokeCertificate(serial as string, 1),
      startStamping: () => {
        stamps = [];
      },
      takeStamps: () => {
        const taken = stamps ?? [];
        stamps = null;
        return taken;
      },
    },
    stop: () => service.stop(),
  };
});

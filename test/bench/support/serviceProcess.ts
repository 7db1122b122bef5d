import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { ArchiveEntry } from '../../../application/archive/ports/archive.ts';
import type { EventLog } from '../../../application/ports/eventLog.ts';
import type { SealingWish } from '../../../application/relyingParty/administration.ts';
import type { OidcClientSettings } from '../../../domain/oidcClient/settings.ts';
import type { RelyingPartySettings } from '../../../domain/relyingParty/settings.ts';
import { readConfig } from '../../../infrastructure/config/config.ts';
import { createService } from '../../../main/main.ts';
import { serveChild } from './childServer.ts';

// The production service in a process of its own, with two additions for measuring: it records when
// each append became durable, and answers the bench's questions about its memory.

interface Settings {
  /** SVC_* variables; nothing else of the environment is read. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Acknowledgement of appends, by stream: `process.hrtime` in ms, comparable between processes. */
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

/** Statements this process has sent to PostgreSQL, by any connection. */
let statements = 0;
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function counted(this: pg.Client, ...parameters: readonly unknown[]) {
  statements += 1;
  return Reflect.apply(query, this, parameters) as unknown;
} as typeof query;

await serveChild<Settings>(async ({ environment }) => {
  const service = createService(readConfig(environment), { aroundLog: stamping });
  await service.start();
  return {
    port: Number(new URL(service.origin).port),
    answers: {
      registerRelyingParty: (settings) =>
        service.registerRelyingParty(settings as RelyingPartySettings),
      registerOidcClient: (client) =>
        service.openIdConnect.register(
          client as OidcClientSettings & { readonly relyingPartyId: string },
        ),
      /** Lets the relying party seal for the organization, which has its certificate then. */
      prepareSealing: async (wish) => {
        const { relyingPartyId, register } = wish as SealingWish;
        await service.changeSealing('allow', { relyingPartyId, register });
        await service.issueSealCertificate(register);
      },
      importCivilRegistry: (csvPath) => service.importRegister('civil', csvPath as string),
      /** Serial numbers of authentication certificates: revoking one revokes the other, too. */
      validSerials: async () => {
        const certificates = await service.listCertificates({ holderKind: 'citizen' });
        return certificates
          .filter(({ type, status }) => type === 'AUTH' && status === 'VALID')
          .map(({ serial }) => serial);
      },
      rebuild: (name) => service.rebuild(name as string, () => undefined),
      /** Archives what ended before a moment, once the audit tree has come that far. @returns the events archived, their bytes and some of the sessions */
      archive: async (before) => {
        let [events, bytes] = [0, 0];
        const sessions: string[] = [];
        const onArchived = (entry: ArchiveEntry) => {
          events += entry.events;
          bytes += entry.bytes;
          for (const stream of [entry.lowestStream, entry.highestStream]) {
            if (entry.events > 0) sessions.push(stream.slice('session-'.length));
          }
        };
        for (;;) {
          const ended = await service.archive.run(new Date(before as string), { onArchived });
          if (ended?.reason !== 'behind') return { events, bytes, sessions };
          await pause(1000);
        }
      },
      revoke: (serial) => service.revokeCertificate(serial as string, 1),
      statements: () => statements,
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

import * as pkijs from 'pkijs';
import { createRevocationListService } from '../../../application/certificate/revocationListService.ts';
import type { RevocationList } from '../../../application/certificate/ports/revocationLists.ts';
import { settings } from '../../../infrastructure/config/configSettings.ts';
import {
  derExplicit,
  derExtension,
  derOctetString,
  derSequence,
  derUnsigned,
} from '../../../infrastructure/pki/kernel/der.ts';
import { certificateIdParts } from '../../../infrastructure/pki/ocsp/responder.ts';
import { oid } from '../../../infrastructure/pki/kernel/oids.ts';
import { readTimestampToken } from '../../../infrastructure/timestamping/timestampMessages.ts';
import { startTestAuthority } from '../doubles/memoryPki.ts';
import { manualClock } from '../doubles/memoryPorts.ts';
import { startTestTimestampAuthority } from '../pki/timestampAuthority.ts';
import { type OcspWorld, startOcspWorld } from '../worlds/ocspWorld.ts';
import { type ClockCases, withinASecond } from './clockCases.ts';

const HOUR_MS = 3_600_000;
const clockSlackMs = settings.SVC_CLOCK_SLACK.schema.parse(undefined) * 1000;

/** Tells whether a reader whose clock is so many seconds behind ours sees something begun. */
const hasBegun = (begin: Date | undefined, now: Date, seconds: number) =>
  begin !== undefined && begin.getTime() <= now.getTime() - seconds * 1000;

/** Makes cases of what this service makes for any reader. */
export async function madeHere() {
  const clock = manualClock();
  const pki = await startTestAuthority({ clock, clockSlackMs });
  clock.advance(24 * HOUR_MS);
  const timestamps = await startTestTimestampAuthority({ clock });
  const ocsp = await startOcspWorld();
  const cases: ClockCases = {
    "`notBefore` of persons', seals', services' and CAs' certificates": {
      ahead: (seconds) =>
        (['root', 'personal', 'organization'] as const).every((name) =>
          hasBegun(pki.authority.beginOfValidity(name, clock.now()), clock.now(), seconds),
        ),
    },
    '`thisUpdate` of revocation lists': {
      ahead: async (seconds) =>
        hasBegun((await publishedList(clock)).thisUpdate, clock.now(), seconds),
    },
    '`thisUpdate` of OCSP answers': {
      ahead: (seconds) =>
        withinASecond(async (second) =>
          hasBegun(await thisUpdateOf(ocsp), new Date(second * 1000), seconds),
        ),
    },
    'time of a timestamp': {
      ahead: async (seconds) => {
        const token = await timestamps.authority.timestamp(Buffer.alloc(32), 'SHA256');
        return hasBegun(readTimestampToken(token).time, clock.now(), seconds);
      },
    },
  };
  return {
    cases,
    stop: async () => {
      await pki.stop();
      await timestamps.stop();
      await ocsp.stop();
    },
  };
}

async function publishedList(clock: ReturnType<typeof manualClock>): Promise<RevocationList> {
  const kept: RevocationList[] = [];
  const service = createRevocationListService({
    authority: 'personal',
    clock,
    clockSlackMs,
    validityMs: 24 * HOUR_MS,
    log: { info: () => undefined },
    lists: {
      newest: () => Promise.resolve(null),
      newestHead: () => Promise.resolve(null),
      keep: (list) => Promise.resolve(kept.push(list) > 0),
    },
    builder: {
      load: () => undefined,
      apply: () => undefined,
      dropEndedBefore: () => undefined,
      size: 0,
      sign: () => Promise.resolve(Buffer.alloc(0)),
    },
  });
  await service.publish();
  const [list] = kept;
  if (list === undefined) throw new Error('No list was published.');
  return list;
}

/** Asks for a status with a nonce, which is signed on request. */
async function thisUpdateOf(ocsp: OcspWorld): Promise<Date | undefined> {
  const id = derSequence(
    certificateIdParts(ocsp.pki.authority.issuer('personal').certificate),
    derUnsigned(Buffer.from([1])),
  );
  const nonce = derExtension(oid.ocspNonce, derOctetString(Buffer.alloc(16)));
  const extensions = derExplicit(2, derSequence(nonce));
  const request = derSequence(derSequence(derSequence(derSequence(id)), extensions));
  const response = await ocsp.post(request);
  const read = pkijs.OCSPResponse.fromBER(await response.arrayBuffer());
  const bytes = read.responseBytes?.response.valueBlock.valueHexView ?? new Uint8Array();
  const [single] = pkijs.BasicOCSPResponse.fromBER(bytes).tbsResponseData.responses;
  return single?.thisUpdate;
}

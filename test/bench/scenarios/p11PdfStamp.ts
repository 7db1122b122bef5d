import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createPhone, type Phone } from '../../../apps/phone/phone.ts';
import { createMemoryPhoneStore } from '../../../apps/phone/phoneStore.ts';
import { preparePdfsigSigner } from '../peers/pdfsigSigner.ts';
import { interleave, measured, type Row, row } from '../support/measure.ts';
import { writeDocument } from '../support/pdfDocuments.ts';
import type { Bench, Scenario } from '../support/scenario.ts';
import { type BenchService, startBenchService } from '../support/service.ts';
import { median } from '../support/statistics.ts';

/**
 * P11: upload of a signed PDF until its stamped copy is received, each for a session of its own.
 */
export const pdfStampScenario: Scenario = { id: 'P11', title: 'PDF stamp', run };

const PIN = '1234';
const PIN2 = '12345';
const AT_ONCE = 4;

interface Caller {
  /** Starts and signs a session for each document; not measured. */
  sign(document: Buffer, count: number): Promise<readonly string[]>;
  /** @returns duration, ms */
  stamp(document: Buffer, sessionId: string): Promise<number>;
  /** 99th percentile of the service's event-loop delay since the last call, ms. */
  loopDelay(): Promise<number>;
}

async function run(bench: Bench): Promise<readonly Row[]> {
  const databaseUrl = await bench.freshDatabase('stamp');
  const service = await startBenchService(bench, {
    databaseUrl,
    citizens: 1,
    environment: { SVC_PDF_THREADS: '2' },
  });
  bench.atEnd(() => service.stop());
  const caller = await connect(service);
  const directory = join(bench.directory, 'peer');
  await mkdir(directory);
  const peer = await preparePdfsigSigner(directory);
  if (peer === null) {
    bench.note('pdfsig, certutil, pk12util or openssl is missing (poppler-utils, libnss3-tools).');
  }
  const documents = { short: writeDocument(10, 69_000), long: writeDocument(300, 1_400_000) };
  const paths = { short: join(directory, 'short.pdf'), long: join(directory, 'long.pdf') };
  await writeFile(paths.short, documents.short);
  await writeFile(paths.long, documents.long);
  const count = bench.size(40, 4);

  const one = (document: Buffer) => async () => {
    const samples: number[] = [];
    for (const sessionId of await caller.sign(document, count)) {
      samples.push(await caller.stamp(document, sessionId));
    }
    return median(samples);
  };
  const together = async () => {
    const waiting = [...(await caller.sign(documents.short, count * 3))];
    await caller.loopDelay();
    const started = performance.now();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
          await caller.stamp(documents.short, id);
        }
      }),
    );
    const seconds = (performance.now() - started) / 1000;
    return { rate: (count * 3) / seconds, delay: await caller.loopDelay() };
  };
  const peers = (path: string) => async () => {
    const samples: number[] = [];
    for (let time = 0; time < bench.size(10, 2); time += 1) {
      samples.push((await peer?.sign(path)) ?? 0);
    }
    return median(samples);
  };

  bench.progress('warming up');
  await one(documents.long)();
  const runs = await interleave(
    bench.rounds,
    {
      short: one(documents.short),
      long: one(documents.long),
      together,
      peerShort: peers(paths.short),
      peerLong: peers(paths.long),
    },
    bench.progress,
  );
  const pair = 'pdfsig -add-signature, openssl ts -reply';
  return [
    ...rowsFor('69 KB, 10 pages', runs.short, { name: pair, runs: runs.peerShort }, 12),
    ...rowsFor('1.4 MB, 300 pages', runs.long, { name: pair, runs: runs.peerLong }, 20),
    row(
      'stamps, 69 KB, 4 at once, two workers',
      'stamps/s',
      {
        subject: measured(
          'stamps',
          runs.together.map(({ rate }) => rate),
        ),
      },
      { goal: { atLeast: 120 } },
    ),
    row(
      'event-loop delay meanwhile, p99',
      'ms',
      {
        subject: measured(
          'main thread',
          runs.together.map(({ delay }) => delay),
        ),
      },
      { goal: { atMost: 5 } },
    ),
  ];

  function rowsFor(
    what: string,
    ours: readonly number[],
    theirs: { readonly name: string; readonly runs: readonly number[] },
    goal: number,
  ): readonly Row[] {
    const subject = measured(what, ours);
    const absolute = { goal: { atMost: goal }, floor: { atMost: 60 } };
    const relative = { goal: { atMost: 0.25 }, floor: { atMost: 1 } };
    return [
      row(`stamp, ${what}, p50`, 'ms', { subject }, absolute),
      ...(peer === null
        ? []
        : [
            row(
              `stamp, ${what}, p50`,
              'ms',
              { subject, peer: measured(theirs.name, theirs.runs) },
              relative,
            ),
          ]),
    ];
  }
}

async function connect({ main, relyingParty, citizens }: BenchService): Promise<Caller> {
  const origin = `http://127.0.0.1:${main.port}`;
  const phone: Phone = createPhone({ baseUrl: origin, store: createMemoryPhoneStore() });
  const [citizen] = citizens;
  if (citizen === undefined) throw new Error('No citizen is enrolled.');
  const { civilId: identifier, cardNumber, birthDate } = citizen;
  const card = { identifier, cardNumber, birthDate };
  const { documentNumber } = await phone.enrol({ card, pin1: PIN, pin2: PIN2 });
  const authorization = `Bearer ${relyingParty.apiSecret}`;
  let sessions = 0;

  async function signOne(digest: string): Promise<string> {
    sessions += 1;
    const answer = await fetch(`${origin}/v3/signature/notification/document/${documentNumber}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({
        relyingPartyUUID: relyingParty.relyingPartyId,
        relyingPartyName: 'Bench',
        signatureProtocol: 'ACSP_V2',
        // Distinct requests, so that none counts as a retry.
        interactions: [{ type: 'displayTextAndPIN', displayText60: `Contract ${sessions}` }],
        digest,
        hashType: 'SHA256',
      }),
    });
    const { sessionID } = (await answer.json()) as { readonly sessionID: string };
    await phone.confirm(await phone.open(sessionID), PIN2);
    return sessionID;
  }

  return {
    async sign(document, count) {
      const digest = createHash('sha256').update(document).digest('base64');
      const signed: string[] = [];
      for (let made = 0; made < count; made += 1) signed.push(await signOne(digest));
      return signed;
    },
    async stamp(document, sessionId) {
      const started = performance.now();
      const answer = await fetch(`${origin}/v3/signature/stamp/${sessionId}?fileName=a.pdf`, {
        method: 'POST',
        headers: { authorization },
        body: document,
      });
      const { byteLength } = await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`A stamp was answered with ${answer.status}.`);
      if (byteLength <= document.length) throw new Error('A stamp is too short.');
      return performance.now() - started;
    },
    async loopDelay() {
      const text = await (await fetch(`${origin}/metrics`)).text();
      const [, seconds = '0'] = /^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(text) ?? [];
      // Subtracts the histogram's own timer of 10 ms.
      return Math.max(0, Number(seconds) * 1000 - 10);
    },
  };
}

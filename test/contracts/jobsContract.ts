import { expect } from 'chai';
import { UndecodableEvent } from '../../application/ports/faults.ts';
import type { Jobs } from '../../application/reactors/ports/jobs.ts';
import { eventually } from '../support/assertions/eventually.ts';

/** Settings of a test; short times keep the suite fast. */
export interface JobsUnderTest {
  readonly attempts: number;
  readonly firstDelayMs: number;
  readonly leaseMs: number;
  readonly rememberedMs?: number;
  readonly onGivenUp: (job: { readonly id: string }) => void;
}

export interface JobsHarness {
  /** One process of the platform; all opened within a test share their queue. */
  open(options: JobsUnderTest): {
    readonly jobs: Jobs;
    /** Dies without a word. */ kill(): Promise<void>;
  };
}

/** Contract of every {@link Jobs}. */
export function jobsContract(subject: string, harness: () => JobsHarness): void {
  describe(`Jobs ${subject}`, () => {
    let opened: { jobs: Jobs }[];
    let givenUp: string[];
    let ran: string[];

    beforeEach(() => {
      opened = [];
      givenUp = [];
      ran = [];
    });

    afterEach(() => Promise.all(opened.map(({ jobs }) => jobs.stop())));

    function open(options: Partial<JobsUnderTest> = {}) {
      const process = harness().open({
        attempts: 5,
        firstDelayMs: 20,
        leaseMs: 30_000,
        onGivenUp: ({ id }) => givenUp.push(id),
        ...options,
      });
      opened.push(process);
      return process;
    }

    const noteId = (payload: Readonly<Record<string, unknown>>) => {
      ran.push(String(payload['id']));
      return Promise.resolve();
    };

    it('runs a job with its payload', async () => {
      const { jobs } = open();
      let received: unknown;
      jobs.handle('greet', (payload) => {
        received = payload;
        return Promise.resolve();
      });
      await jobs.start();
      const payload = { text: 'сайн уу', count: 1, ok: true, none: null };
      await jobs.enqueue({ name: 'greet', id: 'greet:1', payload });
      await eventually(() => expect(received).to.deep.equal(payload));
    });

    it('runs a job once however often its id is enqueued, also after it is done', async () => {
      const { jobs } = open();
      jobs.handle('note', noteId);
      await jobs.start();
      const job = { name: 'note', id: 'push:1:2', payload: { id: '1' } };
      await Promise.all([jobs.enqueue(job), jobs.enqueue(job)]);
      await eventually(() => expect(ran).to.deep.equal(['1']));
      await jobs.enqueue(job);
      await jobs.enqueue({ name: 'note', id: '2', payload: { id: '2' } });
      await eventually(() => expect(ran).to.include('2'));
      expect(ran).to.deep.equal(['1', '2']);
    });

    it('takes several jobs at once, each with its own time, and runs each once', async () => {
      const { jobs } = open();
      jobs.handle('note', noteId);
      await jobs.start();
      const job = (id: string) => ({ name: 'note', id, payload: { id } });
      const later = { ...job('later'), runAt: new Date(Date.now() + 3000) };
      await jobs.enqueue(later, job('1'), job('2'), job('1'));
      await jobs.enqueue();
      await eventually(() => expect(ran).to.have.length(3));
      expect(ran.at(-1)).to.equal('later');
      expect([...ran].sort()).to.deep.equal(['1', '2', 'later']);
    });

    it('forgets an ended job while it runs on, so that its id may come again', async () => {
      const { jobs } = open({ rememberedMs: 1000 });
      jobs.handle('note', noteId);
      await jobs.start();
      let others = 0;
      await eventually(async () => {
        others += 1;
        const id = `other:${others}`;
        const other = { name: 'note', id, payload: { id } };
        await jobs.enqueue({ name: 'note', id: '1', payload: { id: '1' } }, other);
        expect(ran.filter((each) => each === '1').length).to.be.greaterThan(1);
      });
    });

    it('runs a job not before its time', async () => {
      const { jobs } = open();
      let ranAt = 0;
      jobs.handle('note', () => {
        ranAt = Date.now();
        return Promise.resolve();
      });
      await jobs.start();
      const runAt = new Date(Date.now() + 250);
      await jobs.enqueue({ name: 'note', id: 'later', payload: {}, runAt });
      await eventually(() => expect(ranAt).to.be.greaterThan(0));
      expect(ranAt).to.be.at.least(runAt.getTime());
    });

    it('tries a failing job again with growing delays until it succeeds', async () => {
      const { jobs } = open({ firstDelayMs: 40 });
      const tries: number[] = [];
      jobs.handle('flaky', () => {
        tries.push(performance.now());
        return tries.length < 4 ? Promise.reject(new Error('not yet')) : Promise.resolve();
      });
      await jobs.start();
      await jobs.enqueue({ name: 'flaky', id: 'flaky:1', payload: {} });
      await eventually(() => expect(tries).to.have.length(4));
      const [first = 0, second = 0, third = 0, fourth = 0] = tries;
      expect(second - first).to.be.at.least(39);
      expect(third - second).to.be.at.least(79);
      expect(fourth - third).to.be.at.least(159);
      expect(givenUp).to.deep.equal([]);
    });

    it('O8: gives no job up that rests on what a newer release wrote: a process of that one may run it', async () => {
      const { jobs } = open({ attempts: 2 });
      let tries = 0;
      const event = { id: 'e1', type: 'SessionStarted', position: 1n };
      jobs.handle('note', (payload) => {
        tries += 1;
        if (tries > 4) return noteId(payload);
        const cause = new UndecodableEvent(event, null, true);
        return Promise.reject(new Error('Not sent.', { cause }));
      });
      await jobs.start();
      await jobs.enqueue({ name: 'note', id: '1', payload: { id: '1' } });
      await eventually(() => expect([...ran, ...givenUp]).to.have.length(1));
      expect(ran).to.deep.equal(['1']);
    });

    it('O8: leaves a job whose name it does not know to a process that knows it', async () => {
      const former = open({ attempts: 2 });
      former.jobs.handle('note', noteId);
      await former.jobs.start();
      const job = (name: string) => ({ name, id: `${name}:1`, payload: { id: name } });
      await former.jobs.enqueue(job('newer'));
      await former.jobs.enqueue(job('note'));
      await eventually(() => expect(ran).to.deep.equal(['note']));
      const current = open({ attempts: 2 });
      current.jobs.handle('newer', noteId);
      await current.jobs.start();
      await eventually(() => expect(ran).to.deep.equal(['note', 'newer']));
      expect(givenUp).to.deep.equal([]);
    });

    it('gives a job up after its attempts, says so once, and goes on with others', async () => {
      const { jobs } = open({ attempts: 3 });
      let tries = 0;
      jobs.handle('broken', () => {
        tries += 1;
        return Promise.reject(new Error('never'));
      });
      jobs.handle('note', noteId);
      await jobs.start();
      await jobs.enqueue({ name: 'broken', id: 'broken:1', payload: {} });
      await eventually(() => expect(givenUp).to.deep.equal(['broken:1']));
      await jobs.enqueue({ name: 'broken', id: 'broken:1', payload: {} });
      await jobs.enqueue({ name: 'note', id: 'next', payload: { id: 'next' } });
      await eventually(() => expect(ran).to.deep.equal(['next']));
      expect(tries).to.equal(3);
    });

    it('keeps what was enqueued for a process that starts later', async () => {
      const first = open();
      await first.jobs.enqueue({ name: 'note', id: 'kept', payload: { id: 'kept' } });
      await first.kill();
      const second = open();
      second.jobs.handle('note', noteId);
      await second.jobs.start();
      await eventually(() => expect(ran).to.deep.equal(['kept']));
    });

    it('runs a job again whose process died in the middle of it', async () => {
      const first = open({ leaseMs: 300 });
      let begun = false;
      let finish: () => void = () => undefined;
      first.jobs.handle('note', () => {
        begun = true;
        return new Promise<void>((resolve) => {
          finish = resolve;
        });
      });
      await first.jobs.start();
      await first.jobs.enqueue({ name: 'note', id: 'again', payload: { id: 'again' } });
      await eventually(() => expect(begun).to.equal(true));
      await first.kill();

      const second = open({ leaseMs: 300 });
      second.jobs.handle('note', noteId);
      await second.jobs.start();
      await eventually(() => expect(ran).to.deep.equal(['again']));
      finish();
    });

    it('does not take a job away from a process that is still at it', async () => {
      // The lease is renewed by a timer, which a busy machine may let run half a second late.
      const first = open({ leaseMs: 1000 });
      let finish: () => void = () => undefined;
      let begun = 0;
      const slow = () => {
        begun += 1;
        return new Promise<void>((resolve) => {
          finish = resolve;
        });
      };
      const second = open({ leaseMs: 1000 });
      for (const { jobs } of [first, second]) {
        jobs.handle('slow', slow);
        jobs.handle('note', noteId);
        await jobs.start();
      }
      await first.jobs.enqueue({ name: 'slow', id: 'slow', payload: {} });
      const runAt = new Date(Date.now() + 2500);
      await second.jobs.enqueue({ name: 'note', id: 'n', payload: { id: 'n' }, runAt });
      await eventually(() => expect(ran).to.deep.equal(['n']));
      finish();
      expect(begun).to.equal(1);
    });

    it('shares work among processes, each job done once', async () => {
      const processes = [open(), open(), open()];
      for (const { jobs } of processes) {
        jobs.handle('note', noteId);
        await jobs.start();
      }
      const ids = Array.from({ length: 120 }, (_, index) => `job:${index}`);
      await Promise.all(
        ids.map(async (id, index) =>
          processes[index % 3]?.jobs.enqueue({ name: 'note', id, payload: { id } }),
        ),
      );
      await eventually(() => expect(ran).to.have.length(ids.length));
      expect([...ran].sort()).to.deep.equal([...ids].sort());
    });

    it('finishes what is running before it stops', async () => {
      const { jobs } = open();
      let begun = false;
      let finished = false;
      jobs.handle('slow', async () => {
        begun = true;
        await new Promise((resolve) => setTimeout(resolve, 50));
        finished = true;
      });
      await jobs.start();
      await jobs.enqueue({ name: 'slow', id: 'slow', payload: {} });
      await eventually(() => expect(begun).to.equal(true));
      await jobs.stop();
      expect(finished).to.equal(true);
    });
  });
}

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  countAttempt,
  counted,
  CountedAttempts,
  countingAddress,
  countingInto,
  giveBackOfAddress,
  givenBackOnFailure,
} from '../../application/attempts.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import { createMemoryAttemptLimits } from '../../infrastructure/system.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { until } from '../support/http/http.ts';

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(folder, path));

describe('What did not happen does not count', () => {
  it('gives back what a failed act counted, and keeps what a successful one did', async () => {
    const limits = createMemoryAttemptLimits({ attempts: 1 });
    const failing = givenBackOnFailure(async () => {
      expect(await countAttempt(limits, 'key')).to.equal(0);
      throw new Unavailable('eventStore');
    });
    expect(await rejection(failing)).to.be.instanceOf(Unavailable);
    await givenBackOnFailure(async () => {
      expect(await countAttempt(limits, 'key')).to.equal(0);
    });
    expect(await countAttempt(limits, 'key')).to.be.above(0);
  });

  it('gives each count back once, whatever another one does', async () => {
    const counts = new CountedAttempts();
    let given = 0;
    countingInto(counts, () => {
      counted(() => Promise.reject(new Error('Redis is away.')));
      counted(() => (given += 1));
    });
    await counts.giveBack();
    await counts.giveBack();
    expect(given).to.equal(1);
  });

  it('gives back what was counted for the address alone, and that once', async () => {
    const counts = new CountedAttempts();
    const given: string[] = [];
    countingInto(counts, () => {
      counted(() => given.push('other'));
      countingAddress(() => counted(() => given.push('address')));
      counted(() => given.push('later'));
      giveBackOfAddress();
    });
    await until(() => given.length > 0);
    expect(given).to.deep.equal(['address']);
    await counts.giveBack();
    expect(given).to.deep.equal(['address', 'other', 'later']);
  });

  it('holds for every limit of attempts: they are counted in one place', () => {
    const found = filesIn('application')
      .concat(filesIn('api'))
      .filter((path) => /\.attempt\(/.test(readFileSync(path, 'utf8')));
    expect(found).to.deep.equal([join('application', 'attempts.ts')]);
  });

  it('a3: every refusal by a limit names the limit, its setting and its end', () => {
    const found = [
      ...filesIn('application'),
      ...filesIn('api'),
      ...filesIn('main/composition'),
    ].filter((path) =>
      /Refusal\('RATE_LIMITED'|super\('RATE_LIMITED'/.test(readFileSync(path, 'utf8')),
    );
    expect(found).to.deep.equal([
      join('application', 'attempts.ts'),
      join('api', 'bounds', 'admission.ts'),
    ]);
  });
});

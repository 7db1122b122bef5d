import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { startCoverage } from '../bench/trace/coverage.ts';
import { createPhone } from '../../apps/phone/phone.ts';
import { createMemoryPhoneStore } from '../../apps/phone/phoneStore.ts';
import { openLoopWorld } from '../support/worlds/loopWorld.ts';
import { bold, cardOf } from '../support/given/persons.ts';

const text = readFileSync('docs/flows.md', 'utf8');

/** Files that a section of docs/flows.md names. */
function filesOf(heading: string): readonly string[] {
  const [, after] = text.split(`\n### ${heading}\n`);
  if (after === undefined) throw new Error(`docs/flows.md has no section "${heading}".`);
  const [section = ''] = after.split(/^#{2,3} /m);
  return Array.from(section.matchAll(/`([\w/.]+\.ts)`/g), ([, file]) => file ?? '');
}

const firstWalk = 'Authentication: start, confirm, poll';
const common = ['Every request', 'Every command'];
const walks = [
  firstWalk,
  'A PDF is stamped',
  'A certificate is revoked under four eyes',
  'A citizen logs in with OpenID Connect',
];

/** Entered files the page leaves out, each as its preface says. */
const leftOut = [
  // Readers and texts.
  'api/rp/generations/common.ts',
];

/** Files entered by one authentication, from the relying party's request to its answer. */
async function enteredByAuthentication(): Promise<ReadonlySet<string>> {
  const loop = await openLoopWorld();
  const coverage = await startCoverage();
  try {
    const phone = createPhone({ baseUrl: loop.origin, store: createMemoryPhoneStore() });
    await phone.enrol({ card: cardOf(bold), pin1: '1111', pin2: '22222' });
    const { auth, session } = loop.client();
    const asked = [{ type: 'displayTextAndPIN', displayText60: 'Нэвтрэх үү?' }] as const;
    await coverage.take();
    const { sessionId } = await auth.notificationByEtsi('PNOMN-110000000001', asked);
    const started = await coverage.take();
    const request = await phone.open(sessionId);
    await coverage.take();
    await phone.confirm(request, '1111');
    await session.waitForResult(sessionId, { maxWaitMs: 20_000 });
    return new Set([...started.keys(), ...(await coverage.take()).keys()]);
  } finally {
    await coverage.stop();
    await loop.close();
  }
}

describe('The walks of docs/flows.md', () => {
  it('name files that exist', () => {
    const missing = [...common, ...walks].flatMap(filesOf).filter((file) => !existsSync(file));
    expect(missing).to.deep.equal([]);
  });

  for (const walk of walks) {
    it(`name each file once: ${walk}`, () => {
      const files = [...common, walk].flatMap(filesOf);
      const repeated = files.filter((file, index) => files.indexOf(file) !== index);
      expect(files).to.not.have.length(0);
      expect(repeated).to.deep.equal([]);
    });
  }

  it('take an authentication through at most 13 files of its own and 30 in all, as the page says', () => {
    const own = filesOf(firstWalk);
    expect(own.length).to.be.at.most(13);
    const all = own.length + common.flatMap(filesOf).length;
    expect(all).to.be.at.most(30);
    expect(text).to.include(`${own.length} files of its own, ${all} with the two lists above.`);
  });

  it('name what an authentication enters in the API and the application, and nothing else', async () => {
    const isReading = (file: string) => /^(api|application)\//.test(file);
    const entered = [...(await enteredByAuthentication())].filter(isReading);
    const named = [...common, firstWalk].flatMap(filesOf).filter(isReading);
    expect(entered.sort()).to.deep.equal([...named, ...leftOut].sort());
  });
});

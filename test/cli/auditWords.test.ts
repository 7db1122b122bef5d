import { expect } from 'chai';
import { codeWord } from '../../api/pages/words/codeWords.ts';
import { documentFormats } from '../../domain/document/events.ts';
import { devicePins } from '../../domain/device/events.ts';
import { eventTypes } from '../../domain/events.ts';
import { noticeKinds, organizationChanges, rightChanges } from '../../domain/notice/events.ts';
import { rightTypes } from '../../domain/representation/events.ts';
import { sessionKinds } from '../../domain/session/events.ts';
import { riskSignals } from '../../domain/session/riskSignals.ts';
import { detailsIn } from '../../main/cli/auditShow.ts';
import { readFixtures } from '../support/events/eventFixtures.ts';

/** A code that stands in words, not behind them in parentheses to search for, or a field as the program names it. */
const RAW = /(?<![("])\b(?:[A-Z]+(?:_[A-Z\d]+)+|[a-z]+[A-Z]\w*: )/u;

describe('Details of the audit, told by the command line', () => {
  for (const language of ['en', 'mn'] as const) {
    it(`are words in ${language}, of every event`, async () => {
      const raw = (await readFixtures()).flatMap(({ name, type, decoded }) => {
        const rule = eventTypes.get(type)?.audit;
        const told = detailsIn(rule?.details?.(decoded.event.data) ?? {}, language);
        return told.filter((each) => RAW.test(each)).map((each) => `${name}: ${each}`);
      });
      expect(raw).to.deep.equal([]);
    });

    it(`are words in ${language}, whichever code an event holds`, () => {
      for (const [field, codes] of [
        ['change', [...rightChanges, ...organizationChanges, 'ADDED', 'CHANGED']],
        ['kind', [...noticeKinds, ...sessionKinds]],
        ['rightType', rightTypes],
        ['format', documentFormats],
        ['pin', devicePins],
        ['signals', riskSignals],
        ['authority', ['root', 'personal', 'organization']],
        ['reason', ['1']],
      ] as const) {
        for (const code of codes) expect(codeWord(code, language, field), code).to.be.a('string');
      }
    });
  }

  it('tell a permission from a certificate of the same code', () => {
    expect(detailsIn({ type: 'AUTH' }, 'en')).to.deep.equal(['Which type: Authentication']);
    expect(detailsIn({ permissions: ['AUTH', 'SIGN'] }, 'en')).to.deep.equal([
      'Permissions: Log citizens in, Ask for signatures',
    ]);
  });

  it('tell what a request for approval changes', () => {
    const effects = [
      { target: 'certificate 0123', before: 'VALID', after: 'REVOKED for reason 1' },
    ];
    expect(detailsIn({ effects }, 'mn')).to.deep.equal([
      'Үр дагавар: Гэрчилгээ 0123: Хүчинтэй → Хүчингүй: түлхүүр алдагдсан',
    ]);
  });

  it('leave out what is absent, and say truths and reasons in words', () => {
    const details = { reason: 1, awaited: [], until: null, isRejection: false };
    expect(detailsIn(details, 'en')).to.deep.equal([
      'Reason: key compromise',
      'Is a rejection: No',
    ]);
  });
});

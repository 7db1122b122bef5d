import { expect } from 'chai';
import { codeWord } from '../../api/pages/words/codeWords.ts';
import { credentialRefusals } from '../../domain/oidcAccess/events.ts';
import { refusalCodes } from '../../domain/shared/refusal.ts';

describe('Codes of refusals that the audit holds', () => {
  it('have words in both languages, every one of them', () => {
    for (const code of [...refusalCodes, ...credentialRefusals]) {
      expect(codeWord(code, 'mn'), code).to.match(/\p{Script=Cyrillic}/u);
      expect(codeWord(code, 'en'), code)
        .to.match(/^[A-Z][^_]*$/u)
        .and.not.to.equal(code);
    }
    expect(codeWord('NOT_A_CODE', 'en')).to.equal(undefined);
  });
});

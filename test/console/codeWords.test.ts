import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { credentialRefusals } from '../../domain/oidcAccess/events.ts';
import { refusalCodes } from '../../domain/shared/refusal.ts';

type CodeWord = (code: string, language: 'mn' | 'en') => string | undefined;

describe('Codes of refusals that the audit holds', () => {
  it('have words in both languages, every one of them', async () => {
    const path = resolve('apps/console/src/areas/audit/codeWords.ts');
    const { codeWord } = (await import(pathToFileURL(path).href)) as {
      readonly codeWord: CodeWord;
    };
    for (const code of [...refusalCodes, ...credentialRefusals]) {
      expect(codeWord(code, 'mn'), code).to.match(/\p{Script=Cyrillic}/u);
      expect(codeWord(code, 'en'), code)
        .to.match(/^[A-Z][^_]*$/u)
        .and.not.to.equal(code);
    }
    expect(codeWord('NOT_A_CODE', 'en')).to.equal(undefined);
  });
});

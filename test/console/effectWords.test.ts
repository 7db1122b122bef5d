import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { textsIn } from '../../api/pages/texts.ts';
import { effectIn } from '../../api/pages/words/effectWords.ts';
import { newSecretFor, settingEffects } from '../../application/approval/relyingPartyOperations.ts';
import type { ApprovalEffect } from '../../domain/approval/events.ts';
import type { RetentionReason } from '../../domain/document/retention.ts';
import { oidcClientSettings } from '../../domain/oidcClient/settings.ts';
import { relyingPartySettings } from '../../domain/relyingParty/settings.ts';

const FOLDER = 'application/approval';
const CYRILLIC = /\p{Script=Cyrillic}/u;

/** Values that stand in targets, where the one given is not enough. */
const standIns: Readonly<Record<string, string>> = { name: 'civil', field: 'title' };

const sources = readdirSync(FOLDER)
  .filter((name) => name.endsWith('Operations.ts'))
  .map((name) => readFileSync(`${FOLDER}/${name}`, 'utf8'));

/** Texts that the commands write, by these patterns, with stand-ins for values. */
function written(...patterns: readonly RegExp[]): readonly string[] {
  const found = sources.flatMap((source) =>
    patterns.flatMap((pattern) => [...source.matchAll(pattern)].map(([, text = '']) => text)),
  );
  const filled = found.map((text) =>
    text.replaceAll(/\$\{(\w+)[^}]*\}+/g, (_, name: string) => standIns[name] ?? 'X'),
  );
  // Of what is in a template once more, only the beginning is found.
  return [...new Set(filled)].filter((text) => !text.includes('${'));
}

describe('Effects of commands in the console', () => {
  const inMongolian = (effect: ApprovalEffect) => effectIn(textsIn('mn'), effect);
  const inEnglish = (effect: ApprovalEffect) => effectIn(textsIn('en'), effect);

  const effectOf = (name: string, whose: string) =>
    settingEffects(whose, { [name]: 'before' }, { [name]: 'after' })[0] as ApprovalEffect;

  for (const [settings, whose, en, mn] of [
    [relyingPartySettings, 'relying party Bank', 'Relying party Bank: ', 'Итгэгч тал Bank: '],
    [
      oidcClientSettings,
      'OpenID Connect client Bank',
      'OpenID client Bank: ',
      'OpenID клиент Bank: ',
    ],
  ] as const) {
    it(`say each setting of ${whose} in words`, () => {
      for (const name of Object.keys(settings)) {
        const effect = effectOf(name, whose);
        const english = inEnglish(effect).target;
        expect(english.slice(0, en.length), name).to.equal(en);
        expect(english.slice(en.length), name).to.match(/^[A-Z].* |^[A-Z][a-z]+$/u);
        expect(english.slice(en.length), name).not.to.equal(name);
        const mongolian = inMongolian(effect).target;
        expect(mongolian.slice(0, mn.length), name).to.equal(mn);
        expect(mongolian.slice(mn.length), name).to.match(CYRILLIC);
      }
    });
  }

  it('say what else a command changes in words', () => {
    const targets = written(/target(?::| =) [`']([^`']+)[`']/g);
    expect(targets.length).to.be.above(15);
    for (const target of targets.filter((each) => each !== 'X of X')) {
      const effect = { target, before: '', after: '' };
      expect(inMongolian(effect).target, target).to.match(CYRILLIC);
      expect(inEnglish(effect).target, target).to.match(/^[A-Z]/u);
    }
  });

  it('say what it was and becomes in words', () => {
    const reasons: readonly RetentionReason[] = ['SIGNED_FOR_ORGANIZATION', 'SIGNED_WITH_OTHERS'];
    const values = [
      ...written(/(?:before|after): ['`]([^'`]+)['`]/g),
      ...['true', 'false', 'none', 'in the knowledge base', 'PARKED', 'SUPER_ADMIN'],
      ...reasons.map((reason) => `KEPT, ${reason}`),
      ...[newSecretFor(true), newSecretFor(undefined), 'shown after the registered one', 'refused'],
    ].filter((value) => !/^[\d X()]+$|^KEPT, X/.test(value));
    expect(values.length).to.be.above(15);
    for (const value of values) {
      const effect = { target: '', before: value, after: value };
      expect(inMongolian(effect).after, value).to.match(CYRILLIC);
      expect(inMongolian(effect).before, value).to.equal(inMongolian(effect).after);
      expect(inEnglish(effect).after, value).to.match(/^[A-Z][a-z ]/u);
    }
  });

  it('name the relying party of a client once', () => {
    const target = 'relying party of OpenID Connect client Portal';
    const id = 'd0c00000-0000-4000-8000-000000000001';
    expect(inEnglish({ target, before: 'none', after: `Tamga Demo ${id}` })).to.deep.include({
      before: 'None',
      after: 'Tamga Demo',
    });
  });

  it('say permissions of a relying party in words', () => {
    const target = 'permissions of relying party Bank';
    const { before, after } = inEnglish({ target, before: 'AUTH', after: 'AUTH SIGN' });
    expect([before, after]).to.deep.equal([
      'Log citizens in',
      'Log citizens in, Ask for signatures',
    ]);
  });
});

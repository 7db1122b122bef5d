import type { Actor } from '../../application/ports/eventStore.ts';

type Words = Readonly<Record<Actor['kind'], Readonly<Record<'one' | 'many', string>>>>;

const words: Readonly<Record<'en' | 'mn', Words>> = {
  en: {
    citizen: { one: 'the citizen', many: 'Citizens' },
    device: { one: 'phone', many: 'Phones' },
    relyingParty: { one: 'relying party', many: 'Relying parties' },
    operator: { one: 'operator', many: 'Operators' },
    system: { one: 'the platform', many: 'The platform itself' },
    unknown: { one: 'nobody known', many: 'Nobody known' },
  },
  mn: {
    citizen: { one: 'иргэн', many: 'Иргэд' },
    device: { one: 'утас', many: 'Утаснууд' },
    relyingParty: { one: 'итгэгч тал', many: 'Итгэгч талууд' },
    operator: { one: 'оператор', many: 'Операторууд' },
    system: { one: 'систем', many: 'Систем өөрөө' },
    unknown: { one: 'танигдаагүй', many: 'Танигдаагүй' },
  },
};

/** Words for who acted. @param kind of an actor; one of a newer release is in its own word */
export function actorWord(kind: string, language: keyof typeof words, number: 'one' | 'many') {
  return Object.hasOwn(words.en, kind) ? words[language][kind as Actor['kind']][number] : kind;
}

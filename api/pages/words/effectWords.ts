import { approvalTexts } from './approvalTexts.ts';
import { revocationTexts } from './revocationReasons.ts';
import { permissionWords } from './permissionWords.ts';
import { roleWords } from './operatorWords.ts';
import { clientSettingWords, partySettingWords } from './settingWords.ts';
import { defineTexts, type SayOfAll, type Texts } from '../texts.ts';

/** Effect of a command, in the words of the service: on what, from what, to what. */
export interface Effect {
  readonly target: string;
  readonly before: string;
  readonly after: string;
}

/** Tells whether a value that an event holds is an effect. */
export const isEffect = (value: unknown): value is Effect =>
  typeof value === 'object' && value !== null && 'target' in value && 'before' in value;

const truthTexts = defineTexts({ mn: {}, en: {}, common: { yes: 'yes', no: 'no' } });

/** Resources changed by commands, as named by the service (application/approval/*Operations.ts). */
const things = [
  ['API secret of relying party ', 'secret'],
  ['organizations sealed for by relying party ', 'sealing'],
  ['other names of relying party ', 'otherNames'],
  ['relying party of OpenID Connect client ', 'oidcParty'],
  ['relying party ', 'relyingParty'],
  ['secret of OpenID Connect client ', 'oidcSecret'],
  ['OpenID Connect client ', 'oidcClient'],
  ['seal certificate of ', 'sealCertificate'],
  ['certificate ', 'certificate'],
  ['device ', 'device'],
  ['organization ', 'organization'],
  ['person ', 'person'],
  ['operator ', 'operator'],
  ['document ', 'document'],
  ['event ', 'event'],
  ['prompt ', 'prompt'],
  ['article ', 'article'],
  ['title of ', 'articleTitle'],
  ['tags of ', 'articleTags'],
  ['language of ', 'articleLanguage'],
  ['source of ', 'articleSource'],
  ['content of ', 'articleContent'],
  ['records added to the civil register', 'civilAdded'],
  ['records changed in the civil register', 'civilChanged'],
  ['records added to the organization register', 'organizationAdded'],
  ['records changed in the organization register', 'organizationChanged'],
] as const;

const phrases: Readonly<Record<string, keyof typeof approvalTexts.keys>> = {
  'the present secret': 'presentSecret',
  'a new secret, told once to who asked for it': 'newSecret',
  'a new secret, told once to who opens a link within 24 hours': 'secretByLink',
  'a new one': 'newCertificate',
  'KEPT, SIGNED_FOR_ORGANIZATION': 'keptForOrganization',
  'KEPT, SIGNED_WITH_OTHERS': 'keptForOthers',
  'deactivated for good': 'deactivatedForGood',
  'has an authenticator': 'hasAuthenticator',
  'enrols another at the next sign-in': 'enrolsAnother',
  'in the knowledge base': 'inKnowledge',
  'shown after the registered one': 'namesShown',
  refused: 'namesRefused',
};

/** Settings, by whose they are: `redirectUris of OpenID Connect client Portal`. */
const ofSetting = /^(\w+) of (relying party|OpenID Connect client) (.*)$/s;

const partyTexts = defineTexts({ common: { name: 'name' }, ...partySettingWords });
const clientTexts = defineTexts({ common: { name: 'name' }, ...clientSettingWords });

function has<Key extends string>({ keys }: Texts<Key>, key: string): key is Key {
  return Object.hasOwn(keys, key);
}

/** Words of a setting of somebody; undefined: it is another thing. */
function settingOf(target: string, say: SayOfAll): string | undefined {
  const [, setting = '', whose, name = ''] = ofSetting.exec(target) ?? [];
  if (whose === 'relying party' && has(partyTexts, setting)) {
    return say(approvalTexts, 'partySetting', { name, setting: say(partyTexts, setting) });
  }
  if (whose === 'OpenID Connect client' && has(clientTexts, setting)) {
    return say(approvalTexts, 'oidcSetting', { name, setting: say(clientTexts, setting) });
  }
  return undefined;
}

function thing(target: string, say: SayOfAll): string {
  const setting = settingOf(target, say);
  if (setting !== undefined) return setting;
  const found = things.find(([beginning]) => target.startsWith(beginning));
  if (found === undefined) return target;
  return say(approvalTexts, found[1], { name: target.slice(found[0].length) });
}

function state(value: string, say: SayOfAll): string {
  if (value === 'true' || value === 'false') {
    return say(truthTexts, value === 'true' ? 'yes' : 'no');
  }
  if (has(roleWords, value)) return say(roleWords, value);
  const [, code] = /^REVOKED for reason (\d+)$/.exec(value) ?? [];
  if (code !== undefined) return say(approvalTexts, 'revokedFor', { reason: reasonOf(code, say) });
  const key = phrases[value] ?? `state${value}`;
  return has(approvalTexts, key) ? say(approvalTexts, key) : value;
}

function reasonOf(code: string, say: SayOfAll): string {
  const key = `reason${code}`;
  return has(revocationTexts, key) ? say(revocationTexts, key) : code;
}

function permissionsIn(value: string, say: SayOfAll): string {
  const codes = value.split(' ');
  const names = codes.map((code) =>
    has(permissionWords, code) ? say(permissionWords, code) : null,
  );
  return names.includes(null) ? state(value, say) : names.join(', ');
}

/** UUID behind a name. */
const NAMED = /(?<=\S) [0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Translates an effect of a command; what is unknown stays as it is. */
export function effectIn(say: SayOfAll, { target, before, after }: Effect): Effect {
  if (target.startsWith('relying party of ')) {
    // An id stands behind its own name, and would be named once more.
    return {
      target: thing(target, say),
      before: state(before, say),
      after: after.replace(NAMED, ''),
    };
  }
  const value = target.startsWith('permissions of relying party ') ? permissionsIn : state;
  return { target: thing(target, say), before: value(before, say), after: value(after, say) };
}

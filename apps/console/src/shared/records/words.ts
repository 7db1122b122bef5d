import { auditActs } from '../../../../../api/pages/auditActs.ts';
import { revocationTexts } from '../../../../../api/pages/words/revocationReasons.ts';
import { defineTexts, type Texts, useTexts } from '../texts.ts';

/**
 * Translates codes of the API; an unknown code is shown as it is.
 *
 * ```ts
 * const status = useWords(certificateStatusWords);
 * status('REVOKED'); // “Revoked”
 * ```
 */
export function useWords<Key extends string>(
  texts: Texts<Key>,
): (code: Key | (string & {})) => string {
  const say = useTexts(texts);
  return (code) => (Object.hasOwn(texts.keys, code) ? say(code as Key) : code);
}

/** Formats a CRLReason of RFC 5280 §5.3.1: number and meaning. */
export function useReason(): (reason: number) => string {
  const word = useWords(revocationTexts);
  return (reason) => `${reason} · ${word(`reason${reason}`)}`;
}

export {
  authorityWords,
  certificateStatusWords,
  certificateTypeWords,
  endResultWords,
  eventWords,
  levelWords,
  platformWords,
  sessionFlowWords,
  sessionKindWords,
} from '../../../../../api/pages/words/recordWords.ts';

/** Names of audit types. */
export const auditWords = defineTexts(auditActs);

export const actorWords = defineTexts({
  common: { citizen: 'citizen', device: 'device', relyingParty: 'relyingParty' },
  mn: {
    operator: 'Оператор',
    system: 'Систем',
    unknown: 'Танигдаагүй',
  },
  en: {
    operator: 'Operator',
    system: 'System',
    unknown: 'Nobody known',
  },
});

/** Texts of the shared record components. */
export const recordTexts = defineTexts({
  common: {
    state: 'state',
    active: 'active',
    audit: 'audit',
    what: 'what',
    outcome: 'outcome',
    ok: 'done',
    denied: 'denied',
    at: 'when',
    who: 'who',
    subject: 'toWhat',
    status: 'status',
    holder: 'holder',
    device: 'device',
    use: 'use',
    validity: 'validity',
    allAudit: 'wholeAudit',
    owner: 'owner',
    enrolledAt: 'enrolled',
    forgotten: 'forgotten',
    ended: 'ended',
    running: 'running',
    session: 'session',
    person: 'citizen',
    relyingParty: 'relyingParty',
  },
  mn: {
    nobodyYet: 'Хараахан мэдэгдэхгүй',
    flow: 'Суваг',
    took: 'Үргэлжилсэн',
    inactive: 'Идэвхгүй',
    validUntil: 'Дуусах',
    service: 'Платформын үйлчилгээ',
    validityPassed: 'Хугацааны {{share}} өнгөрсөн',
    daysLeft: '{{days}} өдөр үлдсэн',
    notStarted: 'Эхлээгүй',
    later: '{{time}} дараа',
    ms: '{{n}} мс',
    seconds: '{{n}} с',
    minutes: '{{n}} мин',
    hours: '{{n}} цаг',
    days: '{{n}} өдөр',
    reason: 'Шалтгаан (RFC 5280)',
  },
  en: {
    nobodyYet: 'Not known yet',
    flow: 'Channel',
    took: 'Took',
    inactive: 'Inactive',
    validUntil: 'Ends',
    service: 'Service of the platform',
    validityPassed: '{{share}} of the time has passed',
    daysLeft: '{{days}} days left',
    notStarted: 'Not begun',
    later: '{{time}} later',
    ms: '{{n}} ms',
    seconds: '{{n}} s',
    minutes: '{{n}} min',
    hours: '{{n}} h',
    days: '{{n}} days',
    reason: 'Reason (RFC 5280)',
  },
});

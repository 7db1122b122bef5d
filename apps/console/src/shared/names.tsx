import { createContext, type ReactNode, use, useMemo } from 'react';
import type { AnswerOf } from './api/useRead.ts';
import { approvalTexts } from './approvalWords.ts';
import { methodWords } from '../../../../api/pages/words/verificationWords.ts';
import {
  certificateTypeWords,
  platformWords,
  sessionKindWords,
  useWords,
} from './records/words.ts';
import { defineTexts } from './texts.ts';

type Named = AnswerOf<'/v3/admin/audit'>['names'][number];
type NamesById = ReadonlyMap<string, Named>;
export type NamedKind = Named['kind'];

const NamesContext = createContext<NamesById>(new Map());

/** Gives the names of an answer to what shows it; an answer without names keeps those around it. */
export function NamesOf({
  answer,
  children,
}: {
  readonly answer: unknown;
  readonly children: ReactNode;
}) {
  const around = use(NamesContext);
  const { names } = (answer ?? {}) as { readonly names?: readonly Named[] };
  const own = useMemo(() => names && new Map(names.map((each) => [each.id, each])), [names]);
  return <NamesContext value={own ?? around}>{children}</NamesContext>;
}

const texts = defineTexts({
  common: { citizen: 'citizen', document: 'document', relyingParty: 'relyingParty' },
  mn: {
    organization: 'Байгууллага',
    oidcClient: 'OpenID клиент',
    operator: 'Оператор',
    article: 'Мэдлэгийн нийтлэл',
    'break-glass': 'Онцгой үеийн түлхүүр',
    development: 'Хөгжүүлэлтийн горим',
    'command line': 'командын мөр',
  },
  en: {
    organization: 'Organization',
    oidcClient: 'OpenID client',
    operator: 'Operator',
    article: 'Knowledge article',
    'break-glass': 'Break-glass key',
    development: 'Development profile',
    'command line': 'command line',
  },
});

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** Ids nobody knows a thing by: UUIDs, serials of certificates and hashes; and those of persons and organizations. */
const IDS = new RegExp(`${UUID}|\\b[0-9a-f]{32,}\\b|\\bPNOMN-\\d+|\\bNTRMN-[^\\s"»,]+`, 'g');
const HEX = new RegExp(`^(?:${UUID}|[0-9a-f]{32,})$`);
const SHOWN_DIGITS = 8;

/** First digits of an id that only machines know; others as they are. */
function short(id: string): string {
  return HEX.test(id) ? `${id.slice(0, SHOWN_DIGITS)}…` : id;
}

const TAIL_DIGITS = 6;

/** Last digits of an id, which tell two things of one person apart. */
export function tailOf(id: string): string {
  return id.replaceAll('-', '').slice(-TAIL_DIGITS);
}

/** Names what an id stands for: kind and whose; the beginning of the id where nothing is known. */
export function useNameOf(): (id: string) => string {
  const names = use(NamesContext);
  const word = useWords(texts);
  const type = useTypeWords();
  return (id) => {
    const known = names.get(id);
    if (known === undefined) return short(word(id));
    const kind = type(known) ?? word(known.kind);
    const own = ownNames.includes(known.kind);
    if (known.name === null) return `${kind} · ${short(id)}`;
    return own ? known.name : `${kind} · ${known.name}`;
  };
}

/** Kinds whose name is their own; the others are named after another. */
const ownNames: readonly NamedKind[] = [
  'operator',
  'citizen',
  'organization',
  'relyingParty',
  'oidcClient',
  'article',
];

/** Kind of thing an id stands for; undefined: nothing is known of it. */
export function useKindOf(): (id: string) => NamedKind | undefined {
  const names = use(NamesContext);
  return (id) => names.get(id)?.kind;
}

function useTypeWords(): (named: Named) => string | null {
  const certificate = useWords(certificateTypeWords);
  const session = useWords(sessionKindWords);
  const platform = useWords(platformWords);
  const method = useWords(methodWords);
  const operation = useWords(approvalTexts);
  const words: Partial<Record<NamedKind, (code: string) => string>> = {
    certificate,
    session,
    device: platform,
    identityVerification: method,
    approval: operation,
  };
  return ({ kind, type }) => (type === null ? null : (words[kind]?.(type) ?? null));
}

/** Replaces every id in a text by what it stands for. */
export function useReadable(): (text: string) => string {
  const nameOf = useNameOf();
  return (text) => text.replaceAll(IDS, (id) => nameOf(id));
}

/** Kinds of which a person has several with one name. */
const severalOfOne: readonly (NamedKind | undefined)[] = ['certificate', 'device'];

/** Replaces every id like {@link useReadable}; says which it is where a person has several. */
export function useTellingApart(): (text: string) => string {
  const nameOf = useNameOf();
  const kindOf = useKindOf();
  return (text) =>
    text.replaceAll(IDS, (id) =>
      severalOfOne.includes(kindOf(id)) ? `${nameOf(id)} · …${tailOf(id)}` : nameOf(id),
    );
}

/** Beginning of an id, the whole on hover; its field lets it be copied. */
export function ShortId({ id }: { readonly id: string }) {
  return <span title={id}>{short(id)}</span>;
}

/** Name of what an id stands for; the id itself on hover. */
export function Name({ id }: { readonly id: string }) {
  const nameOf = useNameOf();
  return <span title={id}>{nameOf(id)}</span>;
}

import { common } from '../../api/pages/commonWords.ts';
import { endResultHelp } from '../../api/problems/help/endResultHelp.ts';
import type { Bilingual } from '../../api/problems/help/help.ts';
import { problemGroups, problemHelp } from '../../api/problems/help/problemHelp.ts';
import { problems } from '../../api/problems/problems.ts';
import { problemType } from '../../api/problems/wire.ts';
import { html, type Html } from '../../api/pages/html.ts';
import type { EndResult } from '../../domain/session/events.ts';
import type { RefusalCode } from '../../domain/shared/refusal.ts';
import { renderLine } from './markdown.ts';
import type { Language, Page } from './page.ts';

const languages = ['en', 'mn'] as const;

/** Texts of the page of a problem or of an end result. */
interface Entry {
  readonly code: string;
  readonly title: Bilingual;
  readonly means: Bilingual;
  readonly todo: Bilingual;
  readonly show: Bilingual;
  /** HTTP status; null: an end result, which comes with 200. */
  readonly status: number | null;
  readonly kind: Kind;
}

type Kind = 'problems' | 'end-results';

const words = {
  en: {
    problems: 'Problems',
    'end-results': 'End results',
    means: 'What it means',
    todo: 'What to do',
    show: 'What to show the user',
    body: 'The answer',
    back: 'All problems and end results',
    code: common.en.code,
    status: common.en.status,
    aboutProblems:
      'Every error answer of the API is a problem document (RFC 9457). Programs compare `code`, which never changes; `type` is the address of its page here; `detail` is for developers. Show users a sentence of yours, or the one of the page.',
    'aboutEnd-results':
      'A session that is `COMPLETE` says in `result.endResult` how it ended. These come with status 200: the request worked, the citizen decided.',
    groups: {
      request: 'Any request',
      session: 'Sessions, phones and signed files',
      people: 'People, organizations, certificates and clients',
      documents: 'Documents',
      operators: 'Operators, approvals and audit',
    },
  },
  mn: {
    problems: 'Алдаанууд',
    'end-results': 'Сессийн үр дүн',
    means: 'Юу гэсэн үг вэ',
    todo: 'Юу хийх вэ',
    show: 'Хэрэглэгчид юу гэж харуулах вэ',
    body: 'Хариу',
    back: 'Бүх алдаа, үр дүн',
    code: common.mn.code,
    status: common.mn.status,
    aboutProblems:
      'API-ийн алдааны хариу бүр RFC 9457 стандартын баримт байна. Програм нь хэзээ ч өөрчлөгдөхгүй `code` талбарыг тулгана; `type` нь эндхийн хуудасны хаяг, `detail` нь хөгжүүлэгчид зориулсан тайлбар. Хэрэглэгчид өөрийн, эсвэл энэ хуудасны өгүүлбэрийг харуулна уу.',
    'aboutEnd-results':
      '`COMPLETE` төлөвтэй сесс хэрхэн дууссаныг `result.endResult` талбарт хэлнэ. Эдгээр нь 200 төлөвтэй ирнэ: хүсэлт амжилттай, шийдвэрийг иргэн гаргасан.',
    groups: {
      request: 'Аливаа хүсэлт',
      session: 'Сесс, утас, гарын үсэгтэй файл',
      people: 'Хүн, байгууллага, гэрчилгээ, клиент',
      documents: 'Баримт бичиг',
      operators: 'Оператор, зөвшөөрөл, аудит',
    },
  },
} as const;

/** Path of a page about problems. */
const problemPath = (language: Language, kind: Kind, name: string): string =>
  `${language === 'en' ? '' : 'mn/'}${kind}/${name}.html`;

/** The pages of all problems and end results and their lists, in both languages. */
export function problemPages(): readonly Page[] {
  const ofProblems = Object.keys(problemHelp).map((code) => problemEntry(code as RefusalCode));
  const ofEndResults = Object.keys(endResultHelp).map((code) => endResultEntry(code as EndResult));
  return languages.flatMap((language) => [
    problemList(language, ofProblems),
    listPage(language, 'end-results', [table(language, ofEndResults)], ofEndResults),
    ...[...ofProblems, ...ofEndResults].map((entry) => entryPage(language, entry)),
  ]);
}

function problemEntry(code: RefusalCode): Entry {
  const { status, title, text } = problems[code];
  const { todo, show, mn } = problemHelp[code];
  return {
    code,
    title: { en: title, mn: mn.title },
    means: { en: text, mn: mn.means },
    todo,
    show,
    status,
    kind: 'problems',
  };
}

function endResultEntry(code: EndResult): Entry {
  return { ...endResultHelp[code], code, status: null, kind: 'end-results' };
}

function entryPage(language: Language, entry: Entry): Page {
  const { code, title, means, todo, show, status, kind } = entry;
  const t = words[language];
  const name = `${code}: ${title[language]}`;
  const about = status === null ? null : html`<p>HTTP ${status}</p>`;
  return {
    path: problemPath(language, kind, code),
    title: name,
    language,
    headings: [],
    passages: [
      {
        heading: null,
        text: [means[language], todo[language], show[language]].join(' ').replaceAll('`', ''),
      },
    ],
    otherLanguage: problemPath(language === 'en' ? 'mn' : 'en', kind, code),
    listedOn: problemPath(language, kind, 'index'),
    main: html`<h1><code>${code}</code> ${title[language]}</h1>
      ${about}
      <h2>${t.means}</h2>
      <p>${renderLine(means[language])}</p>
      <h2>${t.todo}</h2>
      <p>${renderLine(todo[language])}</p>
      <h2>${t.show}</h2>
      ${languages.map((each) => html`<div class="say" lang="${each}"><p>${show[each]}</p></div>`)}
      <h2>${t.body}</h2>
      <pre tabindex="0"><code>${exampleOf(entry)}</code></pre>
      <p><a href="index.html">${t.back}</a></p>`,
  };
}

function exampleOf({ code, title, means, status }: Entry): string {
  const body =
    status === null
      ? { state: 'COMPLETE', result: { endResult: code } }
      : {
          type: problemType(code as RefusalCode),
          title: title.en,
          status,
          detail: means.en,
          instance: '4f0c3b0e-6c6f-4a4e-9d0e-0d7f5d0c2f11',
          error: means.en,
          code,
        };
  return JSON.stringify(body, null, 2);
}

function problemList(language: Language, entries: readonly Entry[]): Page {
  const t = words[language];
  const byCode = new Map(entries.map((entry) => [entry.code, entry]));
  const groups = Object.entries(problemGroups).map(([group, codes]) => {
    const name = t.groups[group as keyof typeof problemGroups];
    const own = Object.keys(codes).flatMap((code) => byCode.get(code) ?? []);
    return html`<h2 id="${group}">${name}</h2>
      ${table(language, own)}`;
  });
  return listPage(language, 'problems', groups, entries);
}

function listPage(
  language: Language,
  kind: Kind,
  content: readonly Html[],
  entries: readonly Entry[],
): Page {
  const t = words[language];
  const other = kind === 'problems' ? 'end-results' : 'problems';
  const about = t[kind === 'problems' ? 'aboutProblems' : 'aboutEnd-results'];
  return {
    path: problemPath(language, kind, 'index'),
    title: t[kind],
    language,
    headings:
      kind === 'end-results'
        ? []
        : Object.entries(t.groups).map(([id, text]) => ({ id, text, level: 2 })),
    passages: [{ heading: null, text: entries.map(({ code }) => code).join(' ') }],
    otherLanguage: problemPath(language === 'en' ? 'mn' : 'en', kind, 'index'),
    main: html`<h1>${t[kind]}</h1>
      <p>${renderLine(about)} <a href="../${other}/index.html">${t[other]}</a></p>
      ${content}`,
  };
}

function table(language: Language, entries: readonly Entry[]): Html {
  const t = words[language];
  return html`<div class="wide" tabindex="0">
    <table>
      <thead>
        <tr>
          <th>${t.code}</th>
          ${entries.some(({ status }) => status !== null) ? html`<th>${t.status}</th>` : null}
          <th>${t.means}</th>
        </tr>
      </thead>
      <tbody>
        ${entries.map(
          ({ code, status, means }) =>
            html`<tr>
              <td>
                <a href="${code}.html"><code>${code}</code></a>
              </td>
              ${status === null ? null : html`<td>${status}</td>`}
              <td>${renderLine(means[language])}</td>
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`;
}

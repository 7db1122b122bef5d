import MiniSearch, { type SearchResult } from 'minisearch';
import { type Found, searchOptions } from '../searchOptions.ts';

type Result = SearchResult & Found;

/** Results shown below the field; the page of results has more. */
const [FEW, MANY] = [8, 60];

const root = document.body.dataset['root'] ?? '';
const field = document.querySelector<HTMLInputElement>('.search input');
const page = document.querySelector<HTMLElement>('#results');
/** Texts in the reader's language, which is that of the query where it is Mongolian. */
const texts = {
  en: {
    none: 'Nothing was found. Try fewer or other words, or a code such as WRONG_VC, or look in the contents.',
    failed: 'The search could not be loaded.',
  },
  mn: {
    none: 'Юу ч олдсонгүй. Цөөн эсвэл өөр үгээр, эсвэл WRONG_VC гэх мэт кодоор хайж, эсвэл агуулгаас сонгоно уу.',
    failed: 'Хайлтыг ачаалж чадсангүй.',
  },
} as const;

const languageOf = (query: string) =>
  document.documentElement.lang === 'mn' || /\p{Script=Cyrillic}/u.test(query) ? 'mn' : 'en';

let loading: Promise<MiniSearch> | null = null;

/** Index of the pages, loaded when it is first asked. */
function index(): Promise<MiniSearch> {
  loading ??= fetch(`${root}assets/search.json`).then(async (answer) => {
    if (!answer.ok) throw new Error(String(answer.status));
    return MiniSearch.loadJSON(await answer.text(), searchOptions);
  });
  return loading;
}

async function found(query: string, most: number): Promise<readonly Result[]> {
  const language = languageOf(query);
  const results = (await index()).search(query, {
    // The reader's language first.
    boostDocument: (_id, _term, stored) => (stored?.['language'] === language ? 1.5 : 1),
  });
  return results.slice(0, most) as unknown as Result[];
}

function element(name: string, text: string): HTMLElement {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

function entry({ address, heading, page: title, excerpt, language }: Result): HTMLElement {
  const link = document.createElement('a');
  link.href = root + address;
  link.lang = language;
  link.append(
    element('strong', heading === title ? title : `${heading} · ${title}`),
    element('small', excerpt),
  );
  const item = document.createElement('li');
  item.append(link);
  return item;
}

async function show(query: string, list: HTMLElement, most: number): Promise<void> {
  const language = languageOf(query);
  try {
    const results = await found(query, most);
    const none = document.createElement('li');
    none.lang = language;
    none.append(element('p', texts[language].none));
    list.replaceChildren(...(results.length === 0 ? [none] : results.map(entry)));
  } catch {
    loading = null;
    list.replaceChildren(element('li', texts[language].failed));
  }
}

function suggestBelow(input: HTMLInputElement): void {
  const list = document.createElement('ul');
  list.className = 'results';
  list.hidden = true;
  list.setAttribute('aria-live', 'polite');
  input.form?.append(list);
  let asked = '';
  input.addEventListener('input', () => {
    asked = input.value.trim();
    list.hidden = asked === '';
    const query = asked;
    if (query !== '') void show(query, list, FEW).then(() => (list.hidden = asked === ''));
  });
  input.addEventListener('focus', () => void index().catch(() => (loading = null)));
  input.form?.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') list.hidden = true;
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    const stops = [input, ...list.querySelectorAll('a')];
    const at = stops.indexOf(document.activeElement as HTMLInputElement);
    stops[at + (event.key === 'ArrowDown' ? 1 : -1)]?.focus();
    event.preventDefault();
  });
  document.addEventListener('click', (event) => {
    if (!(event.target instanceof Node) || input.form?.contains(event.target) !== true) {
      list.hidden = true;
    }
  });
}

document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
  event.preventDefault();
  field?.focus();
});
if (field !== null) suggestBelow(field);
if (page !== null && field !== null) {
  field.value = new URLSearchParams(location.search).get('q') ?? '';
  if (field.value !== '') void show(field.value, page, MANY);
}
document.querySelector('.scriptless')?.remove();

import { pemBlocks } from '../../verifier/certificate.ts';
import { type Source, type Verdict, verifyExport } from '../../verifier/exportVerifier.ts';

// The page on which an auditor verifies an export: one file, opened from disk, that asks nobody anything.

const texts = {
  en: {
    title: 'Verify an export of the event log',
    lead: 'Nothing leaves this page. The certificate of the Root CA must come from a source other than the export.',
    log: 'Exported log (.jsonl)',
    proofs: 'Proofs (.jsonl.proofs)',
    keys: 'Keys (.jsonl.keys.pem)',
    root: 'Certificate of the Root CA (PEM)',
    heads: 'Tree heads noted down earlier, if there are any',
    choose: 'Choose a file',
    verify: 'Verify',
    running: 'Verifying. Events read:',
    unreadable: 'A file cannot be read:',
    noRoot: 'The file of the Root CA holds no certificate in PEM.',
    verified: ({ events, signedAt, heads }: Verified) =>
      `Verified: ${events} events are exactly those of the tree head signed at ${signedAt}. Signed heads that agree: ${heads}.`,
    line: (line: number) =>
      `NOT VERIFIED. Line ${line} is the first that is not what was signed at its place.`,
    noHead: 'NOT VERIFIED. The proofs hold no signed tree head.',
    noKey: 'NOT VERIFIED. The file of keys holds no key.',
    untrustedKey: (size: number) =>
      `NOT VERIFIED. The Root CA did not certify the key that signed the tree head of ${size} events.`,
    badSignature: (size: number) =>
      `NOT VERIFIED. The signature of the tree head of ${size} events is wrong.`,
    forked: (size: number) =>
      `NOT VERIFIED. The tree head of ${size} events was signed over another log.`,
    truncated: (size: number) =>
      `NOT VERIFIED. The end is missing: a tree head covers ${size} events.`,
  },
  mn: {
    title: 'Үйл явдлын бүртгэлийн экспортыг шалгах',
    lead: 'Энэ хуудаснаас юу ч гадагш гарахгүй. Үндсэн CA-ийн гэрчилгээг экспортоос өөр эх сурвалжаас авна.',
    log: 'Бүртгэлийн экспорт (.jsonl)',
    proofs: 'Нотолгоо (.jsonl.proofs)',
    keys: 'Түлхүүрүүд (.jsonl.keys.pem)',
    root: 'Үндсэн CA-ийн гэрчилгээ (PEM)',
    heads: 'Өмнө тэмдэглэж авсан модны орой, хэрэв байгаа бол',
    choose: 'Файл сонгох',
    verify: 'Шалгах',
    running: 'Шалгаж байна. Уншсан үйл явдлын тоо:',
    unreadable: 'Файлыг уншиж чадсангүй:',
    noRoot: 'Үндсэн CA-ийн файлд PEM хэлбэрийн гэрчилгээ алга.',
    verified: ({ events, signedAt, heads }: Verified) =>
      `Баталгаажлаа. Үйл явдлын тоо: ${events}. Модны оройд гарын үсэг зурсан хугацаа: ${signedAt}. Тохирсон оройн тоо: ${heads}.`,
    line: (line: number) =>
      `БАТАЛГААЖСАНГҮЙ. Гарын үсэг зурсан агуулгаас зөрсөн анхны мөр: ${line}.`,
    noKey: 'БАТАЛГААЖСАНГҮЙ. Түлхүүрийн файлд түлхүүр алга.',
    noHead: 'БАТАЛГААЖСАНГҮЙ. Нотолгоонд гарын үсэгтэй модны орой алга.',
    untrustedKey: (size: number) =>
      `БАТАЛГААЖСАНГҮЙ. Модны оройд гарын үсэг зурсан түлхүүрийг үндсэн CA гэрчлээгүй. Оройн үйл явдлын тоо: ${size}.`,
    badSignature: (size: number) =>
      `БАТАЛГААЖСАНГҮЙ. Модны оройн гарын үсэг буруу. Оройн үйл явдлын тоо: ${size}.`,
    forked: (size: number) =>
      `БАТАЛГААЖСАНГҮЙ. Модны оройд өөр бүртгэл дээр гарын үсэг зурсан. Оройн үйл явдлын тоо: ${size}.`,
    truncated: (size: number) =>
      `БАТАЛГААЖСАНГҮЙ. Төгсгөл дутуу. Модны оройн үйл явдлын тоо: ${size}.`,
  },
};

type Verified = Extract<Verdict, { ok: true }>;
type Language = keyof typeof texts;

let language: Language = navigator.language.startsWith('mn') ? 'mn' : 'en';
/** Outcome of the last verification, told again when the language changes. */
let told: (() => string) | null = null;

const byId = (id: string) => document.getElementById(id) as HTMLElement;
const form = byId('files') as HTMLFormElement;
const outcome = byId('outcome');

function speak(chosen: Language): void {
  language = chosen;
  document.documentElement.lang = chosen;
  for (const element of document.querySelectorAll<HTMLElement>('[data-text]')) {
    const text = texts[language][element.dataset['text'] as keyof typeof texts.en];
    if (typeof text === 'string') element.textContent = text;
  }
  document.title = texts[language].title;
  nameChosen();
  if (told !== null) outcome.textContent = told();
}

/** Shows the names of the files that were chosen, where the invitation to choose one stood. */
function nameChosen(): void {
  for (const element of document.querySelectorAll<HTMLElement>('[data-file]')) {
    const files = new FormData(form).getAll(element.dataset['file'] ?? '') as File[];
    const names = files.map(({ name }) => name).filter((name) => name !== '');
    element.textContent = names.length > 0 ? names.join(', ') : texts[language].choose;
  }
}

function tell(kind: '' | 'good' | 'bad', text: () => string): void {
  told = text;
  outcome.className = kind;
  outcome.textContent = text();
}

const describe = (verdict: Verdict): string => {
  const words = texts[language];
  if (verdict.ok) return words.verified(verdict);
  if (verdict.fault === 'line') return words.line(verdict.line);
  if (verdict.fault === 'noHead' || verdict.fault === 'noKey') return words[verdict.fault];
  return words[verdict.fault](verdict.treeSize);
};

function fileOf(name: string): File {
  return new FormData(form).get(name) as File;
}

function sourceOf(name: string): Source {
  const file = fileOf(name);
  return async function* () {
    const reader = file.stream().getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  };
}

async function verify(): Promise<void> {
  const [root] = pemBlocks(await fileOf('root').text(), 'CERTIFICATE');
  if (root === undefined) {
    tell('bad', () => texts[language].noRoot);
    return;
  }
  const heads = new FormData(form).getAll('heads') as File[];
  const known = await Promise.all(heads.filter(({ size }) => size > 0).map((file) => file.text()));
  tell('', () => texts[language].running);
  const verdict = await verifyExport(
    {
      log: sourceOf('log'),
      proofs: sourceOf('proofs'),
      keys: await fileOf('keys').text(),
      root,
      heads: known,
    },
    (events) => tell('', () => `${texts[language].running} ${events}`),
  );
  tell(verdict.ok ? 'good' : 'bad', () => describe(verdict));
}

form.addEventListener('change', nameChosen);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  verify().catch((error: unknown) =>
    tell('bad', () => `${texts[language].unreadable} ${(error as Error).message}`),
  );
});
for (const button of document.querySelectorAll<HTMLElement>('[data-language]')) {
  button.addEventListener('click', () => speak(button.dataset['language'] as Language));
}
byId('unscripted').hidden = true;
form.hidden = false;
speak(language);

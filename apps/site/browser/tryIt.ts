// Forms of the API reference that send an operation: shown where the page comes from a demo, sent to that demo alone.

const root = document.body.dataset['root'] ?? '';
const forms = document.querySelectorAll<HTMLFormElement>('form.try');

/** Values typed once, which other operations need too, for as long as the tab is open. */
const kept = ['relyingPartyUUID', 'relyingPartyName'] as const;

async function isDemo(): Promise<boolean> {
  const answer = await fetch(`${root}demo.json`);
  return answer.ok && ((await answer.json()) as { readonly demo?: unknown }).demo === true;
}

function fieldOf<Field extends HTMLInputElement | HTMLTextAreaElement>(
  form: HTMLFormElement,
  name: string,
): Field | null {
  return form.querySelector<Field>(`[name=${name}]`);
}

/** Fills in what was sent by another form: the credential of its header, and who the relying party is. */
function fill(form: HTMLFormElement): void {
  const credential = fieldOf<HTMLInputElement>(form, 'credential');
  const header = credential?.dataset['header'];
  if (credential !== null && header !== undefined)
    credential.value = sessionStorage.getItem(header) ?? '';
  const body = fieldOf<HTMLTextAreaElement>(form, 'body');
  if (body === null) return;
  for (const name of kept) {
    const value = sessionStorage.getItem(name);
    if (value !== null)
      body.value = body.value.replace(
        new RegExp(`("${name}": )"[^"]*"`),
        `$1${JSON.stringify(value)}`,
      );
  }
}

function remember(header: string | undefined, credential: string, body: string | null): void {
  if (header !== undefined) sessionStorage.setItem(header, credential);
  for (const name of kept) {
    const value = body === null ? null : new RegExp(`"${name}":\\s*"([^"\\\\]*)"`).exec(body)?.[1];
    if (value !== null && value !== undefined) sessionStorage.setItem(name, value);
  }
  for (const form of forms) if (!form.contains(document.activeElement)) fill(form);
}

function valueOf(form: HTMLFormElement, name: string): string | null {
  return fieldOf<HTMLInputElement | HTMLTextAreaElement>(form, name)?.value ?? null;
}

async function send(form: HTMLFormElement): Promise<string> {
  const address = valueOf(form, 'address') ?? '';
  if (!/^\/(?!\/)/u.test(address)) return 'An address begins with one slash.';
  const header = fieldOf<HTMLInputElement>(form, 'credential')?.dataset['header'];
  const [credential, body] = [valueOf(form, 'credential') ?? '', valueOf(form, 'body')];
  const headers = new Headers(body === null ? {} : { 'content-type': 'application/json' });
  if (header !== undefined) headers.set(header, credential);
  remember(header, credential, body);
  const method = form.dataset['method'] ?? 'GET';
  const options = { method, headers, body, credentials: 'omit', redirect: 'manual' } as const;
  const answer = await fetch(address, options);
  const text = await answer.text();
  return `${answer.status} ${answer.statusText}\n${readable(text, answer.headers.get('content-type'))}`;
}

function readable(text: string, type: string | null): string {
  if (type?.includes('json') !== true) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function offer(form: HTMLFormElement): void {
  const output = form.querySelector('output');
  fill(form);
  form.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (output === null) return;
    output.textContent = '…';
    send(form)
      .catch(() => 'No answer: is the service up?')
      .then((text) => (output.textContent = text))
      .catch(() => undefined);
  });
}

if (forms.length > 0) {
  isDemo()
    .then((demo) => {
      if (demo) forms.forEach(offer);
    })
    .catch(() => undefined);
}

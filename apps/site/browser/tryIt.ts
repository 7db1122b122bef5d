// Forms of the API reference that send an operation: shown where the page comes from a demo, sent to that demo alone.

const root = document.body.dataset['root'] ?? '';
const forms = document.querySelectorAll<HTMLFormElement>('form.try');

/** Values typed once, which other operations need too, for as long as the tab is open. */
const kept = ['relyingPartyUUID', 'relyingPartyName'] as const;

/** Answer of a demo about itself: the values of `kept` that its own relying party has. */
interface Demo {
  readonly demo?: unknown;
  readonly relyingParty?: Partial<Record<(typeof kept)[number], string>> | null;
}

/** Values that the demo knows, until others are typed. */
let known: NonNullable<Demo['relyingParty']> = {};

async function isDemo(): Promise<boolean> {
  const answer = await fetch(`${root}demo.json`);
  if (!answer.ok) return false;
  const { demo, relyingParty } = (await answer.json()) as Demo;
  known = relyingParty ?? {};
  return demo === true;
}

function fieldOf<Field extends HTMLInputElement | HTMLTextAreaElement>(
  form: HTMLFormElement,
  name: string,
): Field | null {
  return form.querySelector<Field>(`[name=${name}]`);
}

/** Fills in what was sent by another form, or what the demo knows: the credential of its caller, and who the relying party is. */
function fill(form: HTMLFormElement): void {
  const credential = fieldOf<HTMLInputElement>(form, 'credential');
  const caller = credential?.dataset['caller'];
  if (credential !== null && caller !== undefined)
    credential.value = sessionStorage.getItem(caller) ?? '';
  const body = fieldOf<HTMLTextAreaElement>(form, 'body');
  if (body === null) return;
  for (const name of kept) {
    const value = sessionStorage.getItem(name) ?? known[name];
    if (value !== undefined)
      body.value = body.value.replace(
        new RegExp(`("${name}": )"[^"]*"`),
        `$1${JSON.stringify(value)}`,
      );
  }
}

function remember(caller: string | undefined, credential: string, body: string | null): void {
  if (caller !== undefined) sessionStorage.setItem(caller, credential);
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
  const field = fieldOf<HTMLInputElement>(form, 'credential');
  const [header, caller] = [field?.dataset['header'], field?.dataset['caller']];
  const credential = asSent(header, valueOf(form, 'credential') ?? '');
  const body = valueOf(form, 'body');
  const headers = new Headers(body === null ? {} : { 'content-type': 'application/json' });
  if (header !== undefined && credential !== '') headers.set(header, credential);
  remember(caller, credential, body);
  const method = form.dataset['method'] ?? 'GET';
  const options = { method, headers, body, credentials: 'omit', redirect: 'manual' } as const;
  const answer = await fetch(address, options);
  const text = await answer.text();
  return `${answer.status} ${answer.statusText}\n${readable(text, answer.headers.get('content-type'))}`;
}

/** The credential with its scheme, which may be left out. */
function asSent(header: string | undefined, typed: string): string {
  const credential = typed.trim();
  return header === 'Authorization' && /^[^ ]+$/u.test(credential)
    ? `Bearer ${credential}`
    : credential;
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

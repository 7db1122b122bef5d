import { below, element, textOf } from './dom.ts';

// Page of a link that hands a secret over: the token is behind #, and leaves the browser by the button alone.

interface Taken {
  readonly name: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** A line of a `.env` file, in quotes that a shell reads, too. */
const lineOf = ([name, value]: readonly [string, string]) =>
  `${name}='${value.replaceAll("'", `'\\''`)}'`;

/** Lets the button ask for the secret, and shows it. */
export function handOver(page: HTMLElement): void {
  const reveal = element<HTMLButtonElement>('reveal');
  const fault = element('fault');
  const token = location.hash.slice(1);

  function fail(text: string, isOver: boolean): void {
    fault.textContent = textOf(page, text);
    fault.hidden = false;
    reveal.disabled = false;
    element('offer').hidden = isOver;
  }

  function show({ name, variables }: Taken): void {
    element('offer').hidden = true;
    fault.hidden = true;
    const content = Object.entries(variables).map(lineOf).join('\n');
    element('variables').textContent = content;
    element('shown').hidden = false;
    const holder = element('holder');
    holder.textContent = name;
    holder.focus();
    const copy = element<HTMLButtonElement>('copy');
    copy.addEventListener('click', () => {
      void navigator.clipboard.writeText(content).then(() => {
        copy.textContent = textOf(page, 'copied');
      });
    });
  }

  async function take(): Promise<void> {
    reveal.disabled = true;
    try {
      const response = await fetch(textOf(page, 'path'), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token }),
        cache: 'no-store',
      });
      if (response.ok) show((await response.json()) as Taken);
      else fail(response.status === 404 ? 'gone' : 'trouble', response.status === 404);
    } catch {
      fail('trouble', false);
    }
  }

  if (token === '') fail('incomplete', true);
  // The language is switched without losing the token.
  for (const link of document.querySelectorAll('a[hreflang]')) {
    if (link instanceof HTMLAnchorElement) link.hash = location.hash;
  }
  below(page, '#reveal').addEventListener('click', () => void take());
}

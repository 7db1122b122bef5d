/** Text that is markup already and is not escaped again. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Content of a template: text is escaped, HTML is not, lists are joined, null is nothing. */
export type Content = string | number | Html | null | readonly Content[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Template tag that escapes every inserted text, so that none can become markup. */
export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Html {
  const texts = contents.map((content, index) => render(content) + (parts[index + 1] ?? ''));
  return new Html((parts[0] ?? '') + texts.join(''));
}

function render(content: Content): string {
  if (content === null) return '';
  if (content instanceof Html) return content.text;
  if (typeof content === 'object') return content.map(render).join('');
  return String(content).replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}

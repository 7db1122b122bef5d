import { type Html, html } from './html.ts';

const TOKEN =
  /(?<comment>\/\/.*)|(?<string>'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`)|(?<keyword>\b(?:const|return|await|async|new|if|else|throw|as)\b)|(?<call>\b\w+(?=\())/g;

/** Marks comments, strings, keywords and calls of source text. */
export function highlighted(source: string): Html[] {
  const parts: Html[] = [];
  let at = 0;
  for (const { 0: text, index, groups = {} } of source.matchAll(TOKEN)) {
    const [kind = ''] = Object.keys(groups).filter((name) => groups[name] !== undefined);
    parts.push(html`${source.slice(at, index)}<span class="${kind}">${text}</span>`);
    at = index + text.length;
  }
  return [...parts, html`${source.slice(at)}`];
}

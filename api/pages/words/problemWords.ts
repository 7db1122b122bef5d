import { problemHelp } from '../../problems/help/problemHelp.ts';
import { problems } from '../../problems/problems.ts';
import type { Language } from '../texts.ts';

type Code = keyof typeof problemHelp;

/** Tells whether a code is that of a problem. */
export function isProblem(code: string): code is Code {
  return Object.hasOwn(problemHelp, code);
}

/** Words of the documentation on a problem: its title, and the remedy for the developer. */
export function problemWords(code: Code, language: Language) {
  const { mn, todo } = problemHelp[code];
  const title = language === 'mn' ? mn.title : problems[code].title;
  return { title, todo: todo[language].replaceAll('`', '') };
}

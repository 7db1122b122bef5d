import { textOf } from './dom.ts';

/** Look and title of the page for a file that is not known: it fails, or remains open. */
const doubts: Readonly<Record<string, readonly [look: string, title: string]>> = {
  working: ['open', 'working'],
  different: ['failed', 'refused'],
  altered: ['failed', 'refused'],
  again: ['failed', 'refused'],
  unknown: ['open', 'unsure'],
  impossible: ['open', 'unsure'],
};

/**
 * Lets the verdict at the top speak of a file: that the signature is valid says nothing of a file that was not signed.
 *
 * @param box with the texts of the outcomes
 * @returns what says the outcome of a file
 */
export function headlineOf(box: HTMLElement): (name: string, outcome: string) => void {
  const verdict = document.querySelector('.verdict');
  const heading = verdict?.querySelector('h1') ?? null;
  const about = verdict?.querySelector<HTMLElement>('.of-file') ?? null;
  const ofSession = verdict?.querySelector('.of-session') ?? null;
  if (verdict === null || heading === null || about === null || ofSession === null) {
    return () => undefined;
  }
  const { className } = verdict;
  const title = heading.textContent;
  const text = ofSession.textContent;
  about.hidden = false;
  return (name, outcome) => {
    const [look, doubt] = doubts[outcome] ?? [null, null];
    verdict.className = look === null ? className : `verdict ${look}`;
    heading.textContent = doubt === null ? title : textOf(box, doubt);
    const named = document.createElement('bdi');
    named.textContent = name;
    const said = outcome === doubt ? [] : [` – ${textOf(box, outcome)}`];
    about.replaceChildren(named, ...said);
    // The verdict of the session stays readable, as that of the document which was signed.
    ofSession.textContent = doubt === null ? text : `${textOf(box, 'original')} ${title}`;
  };
}

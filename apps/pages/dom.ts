/** The element of that id, which the page is made with. @throws Error when it is not there */
export function element<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  return found(document.getElementById(id), `#${id}`) as Kind;
}

/** The first element below `parent`, which the page is made with. @throws Error when it is not there */
export function below<Kind extends HTMLElement>(parent: HTMLElement, selector: string): Kind {
  return found(parent.querySelector<Kind>(selector), selector);
}

/** A text of the page: the value of `data-<name>`; empty when there is none. */
export function textOf({ dataset }: HTMLElement, name: string): string {
  return dataset[name] ?? '';
}

function found<Kind>(element: Kind | null, selector: string): Kind {
  if (element === null) throw new Error(`The page has no ${selector}.`);
  return element;
}

/** Takes away the notice that the page's scripts did not load (api/pages/scriptless.ts); a script's last statement. */
export function scriptsWork(): void {
  document.querySelector('.scriptless')?.remove();
}

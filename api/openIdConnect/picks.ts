import { type Content, html } from '../pages/html.ts';

/** Choice of one, at first the first. @param choices values and what they are called */
export function picks(
  legend: string,
  name: string,
  choices: readonly (readonly [value: string, content: Content])[],
): Content {
  return html`<fieldset>
    <legend>${legend}</legend>
    ${choices.map(
      ([value, content], index) =>
        html`<label class="pick"
          ><input
            type="radio"
            name="${name}"
            value="${value}"
            ${index === 0 ? html`checked` : null}
          /><span>${content}</span></label
        >`,
    )}
  </fieldset>`;
}

import type { CallBody } from '@tamga/client';
import type { Excerpt } from '../sources.ts';
import { filled, type Texts } from '../texts/index.ts';
import type { TracedCall } from '../tracing.ts';
import { highlighted } from './highlight.ts';
import { type Content, type Html, html } from './html.ts';
import type { View } from './view.ts';

/**
 * Panel of the flow: the source lines of each step and the calls they made. @param planned steps
 * shown before any ran
 */
export function panel(view: View, planned: readonly string[]): Html {
  const { t, visitor } = view;
  const steps =
    visitor.steps.length > 0 ? visitor.steps : planned.map((name) => ({ name, calls: [] }));
  return html`<h2>${t.panel.title}</h2>
    <p class="lead">${t.panel.lead}</p>
    <ol class="steps">
      ${steps.map(
        ({ name, calls }) =>
          html`<li>
            <h3>${t.panel.steps[name] ?? name}</h3>
            ${excerpt(view.excerpts.get(name))}
            ${calls.length === 0 ? null : html`<div class="calls">${calls.map((call) => callBox(view, call))}</div>`}
          </li>`,
      )}
    </ol>`;
}

function excerpt(found: Excerpt | undefined): Content {
  if (found === undefined) return null;
  const { file, lineNumber, text } = found;
  return html`<figure>
    <figcaption>${file}:${lineNumber}</figcaption>
    <pre tabindex="0"><code>${highlighted(text)}</code></pre>
  </figure>`;
}

function callBox({ t }: View, call: TracedCall): Html {
  const { method, path, status, durationMs, times } = call;
  const good = status !== null && status < 400;
  return html`<details class="call">
    <summary>
      <span class="method">${method}</span> <span class="path">${path}</span>
      <span class="outcome"
        ><span class="status ${good ? 'good' : 'bad'}">${status ?? t.panel.noAnswer}</span>
        ${durationMs}
        ms${times > 1 ? html` · ${filled(t.panel.times, { count: times })}` : null}</span
      >
    </summary>
    <h4>${t.panel.request}</h4>
    <pre tabindex="0"><code>${sent(t, call)}</code></pre>
    <h4>${t.panel.response}</h4>
    <pre tabindex="0"><code>${received(t, call)}</code></pre>
  </details>`;
}

function sent(t: Texts, { method, path, request }: TracedCall): string {
  return [`${method} ${path}`, 'Authorization: Bearer [secret]', ...body(t, request)].join('\n');
}

function received(t: Texts, { status, requestId, response }: TracedCall): string {
  const id = requestId === null ? [] : [`X-Request-Id: ${requestId}`];
  return [status ?? t.panel.noAnswer, ...id, ...body(t, response)].join('\n');
}

/** Longest text of a body shown, characters: certificates and signatures are cut. */
const LONGEST = 96;

/** Lines of a request or response body, after an empty line. */
function body(t: Texts, content: CallBody | null): readonly string[] {
  if (content === null) return [];
  if (content.type === 'bytes') {
    const { length, contentType } = content;
    return ['', filled(t.panel.bytes, { count: length, type: contentType })];
  }
  const cut = (_: string, value: unknown) =>
    typeof value === 'string' && value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value;
  return ['', JSON.stringify(content.value, cut, 2)];
}

import type { Failure } from '../failures.ts';
import { html } from './html.ts';
import { page } from './layout.ts';
import type { View } from './view.ts';

/** Error page: the reason and what to do next. */
export function failurePage(view: View, { kind, code }: Failure): string {
  const { t, visitor, settings } = view;
  const [title = '', text = ''] = t.failure.kinds[kind];
  const isCustomer = visitor.customer !== undefined;
  const main = html`<section
    class="card message ${kind}"
    data-failure="${kind}"
    data-code="${code}"
  >
    <h1>${title}</h1>
    <p class="lead">${text}</p>
    <p>
      <a class="button primary" href="${settings.base}${isCustomer ? '/account' : '/'}"
        >${isCustomer ? t.failure.back : t.failure.retry}</a
      >
    </p>
  </section>`;
  return page(view, { title, main });
}

/** Page for an unknown address or an expired form. */
export function strayPage(view: View, which: 'notFound' | 'badForm'): string {
  const { t, settings } = view;
  const [title = '', text = ''] = t.failure[which];
  const main = html`<section class="card message">
    <h1>${title}</h1>
    <p class="lead">${text}</p>
    <p><a class="button primary" href="${settings.base}/">${t.bank}</a></p>
  </section>`;
  return page(view, { title, main, steps: null });
}

import type { Language } from './page.ts';

/** A page of the menu: a file of the repository, or a page made by the program. */
export type MenuEntry =
  | { readonly source: string; readonly title?: string }
  | { readonly path: string; readonly title: string };

/** Pages of one kind of reader, in order. */
export interface MenuChapter {
  readonly title: string;
  readonly language: Language;
  readonly entries: readonly MenuEntry[];
  /** Folder whose other pages are listed by the first entry, as decisions are by their list. */
  readonly folder?: string;
}

const page = (source: string, title?: string): MenuEntry =>
  title === undefined ? { source } : { source, title };

/** The site's pages in the order of their readers: a page of docs/ that is missing here is a fault of the build. */
export const menu: readonly MenuChapter[] = [
  {
    title: 'Start',
    language: 'en',
    entries: [
      page('docs/index.md', 'Overview'),
      page('docs/when-not.md', 'When not to use it'),
      page('docs/comparison.md', 'Comparison'),
      page('docs/faq.md', 'Questions and answers'),
      page('docs/troubleshooting.md', 'Troubleshooting'),
    ],
  },
  {
    title: 'Relying parties: HTTP',
    language: 'en',
    entries: [
      page('docs/tour.md', 'Tour with curl'),
      page('docs/sign-and-stamp.md', 'Sign and stamp a contract'),
      page('docs/signed-bytes.md', 'What each signature covers'),
      { path: 'api/index.html', title: 'API reference' },
      page('docs/events.md', 'Events'),
      page('docs/endpoints.md', 'Endpoints and standards'),
      page('docs/demo-accounts.md', 'Demo accounts'),
      page('docs/deprecations.md', 'Deprecations'),
    ],
  },
  {
    title: 'Relying parties: TypeScript',
    language: 'en',
    entries: [
      page('docs/first-login.md', 'Your first login'),
      page('client/README.md', 'Client library'),
      page('docs/login-adapters.md', 'Login in your web framework'),
      page('docs/testing-a-client.md', 'Test without a network'),
    ],
  },
  {
    title: 'Relying parties: OpenID Connect',
    language: 'en',
    entries: [
      page('docs/openid-connect.md', 'OpenID Connect'),
      page('docs/openid-clients.md', 'OpenID Connect in the software you have'),
      page('docs/conformance.md', 'Conformance'),
      page('docs/protect-your-api.md', 'Protect your API'),
    ],
  },
  {
    title: 'Problems',
    language: 'en',
    entries: [
      { path: 'problems/index.html', title: 'Problems' },
      { path: 'end-results/index.html', title: 'End results' },
    ],
  },
  {
    title: 'Алдаа, үр дүн',
    language: 'mn',
    entries: [
      { path: 'mn/problems/index.html', title: 'Алдаанууд' },
      { path: 'mn/end-results/index.html', title: 'Сессийн үр дүн' },
    ],
  },
  {
    title: 'Operators',
    language: 'en',
    entries: [page('docs/operating.md', 'For operators')],
  },
  {
    title: 'Approvers',
    language: 'en',
    entries: [page('docs/approving.md', 'A second operator approves')],
  },
  {
    title: 'Auditors',
    language: 'en',
    entries: [
      page('docs/verify-an-export.md', 'Verify an export yourself'),
      page('docs/export-format.md', 'Format of an export'),
    ],
  },
  { title: 'Citizens', language: 'en', entries: [page('docs/citizen.md', 'Help for citizens')] },
  {
    title: 'Иргэдэд',
    language: 'mn',
    entries: [page('docs/citizen-mn.md', 'Иргэнд зориулсан тусламж')],
  },
  {
    title: 'Run',
    language: 'en',
    entries: [
      page('docs/setup.md', 'Setting up'),
      page('docs/upgrading.md', 'Upgrading'),
      page('docs/ceremony.md', 'Key ceremony'),
      page('docs/rotation.md', 'Rotation of secrets'),
      page('docs/templates/practice-statement.md', 'Practice statement (template)'),
      page('docs/templates/termination-plan.md', 'Termination plan (template)'),
      page('docs/observability.md', 'Observability'),
      page('docs/operations.md', 'Operations'),
      page('docs/configuration.md', 'Configuration'),
      page('docs/commands.md', 'Commands'),
      page('docs/sizing.md', 'Sizing'),
      page('docs/failures.md', 'When something fails'),
      page('docs/resources.md', 'Resources and bounds'),
      page('docs/eventstoredb.md', 'EventStoreDB'),
      page('CHANGELOG.md', 'Changes'),
    ],
  },
  {
    title: 'Secure and judge',
    language: 'en',
    entries: [
      page('docs/threat-model.md', 'Threat model'),
      page('docs/certificates.md', 'Certificates'),
      page('docs/performance.md', 'Measured limits'),
      page('SECURITY.md', 'Reporting a fault'),
    ],
  },
  {
    title: 'Contribute',
    language: 'en',
    entries: [
      page('CONTRIBUTING.md', 'Contributing'),
      page('docs/glossary.md', 'Glossary'),
      page('docs/adding-an-aggregate.md', 'Adding an aggregate'),
      page('docs/adding-a-field.md', 'Adding a field'),
      page('docs/releasing.md', 'Releasing'),
      page('CODE_OF_CONDUCT.md', 'Code of conduct'),
      page('SUPPORT.md', 'Support'),
    ],
  },
  {
    title: "For the platform's builders",
    language: 'en',
    folder: 'docs/adr',
    entries: [
      page('docs/architecture.md', 'Architecture'),
      page('docs/flows.md', 'Flows'),
      page('docs/choices.md', 'Choices'),
      page('docs/adr/README.md', 'Decisions'),
    ],
  },
];

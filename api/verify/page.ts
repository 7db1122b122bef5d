import type {
  Check,
  CheckResult,
  Verdict,
  Verification,
} from '../../application/verification/verification.ts';
import type { EndResult } from '../../domain/session/events.ts';
import { unreachable } from '../../domain/shared/decider.ts';
import type { HashAlgorithm } from '../../domain/shared/digest.ts';
import { localTime } from '../../domain/shared/localTime.ts';
import { assets } from './assets.ts';
import { type Brand, logoPath, themeLink } from '../pages/brand.ts';
import { type Content, type Html, html } from '../pages/html.ts';
import { scriptless } from '../pages/scriptless.ts';
import { type Language, languages, texts } from './texts.ts';

type Signed = Extract<Verification, { kind: 'signed' }>;

const verdictResults: Readonly<Record<Verdict, CheckResult>> = {
  valid: 'passed',
  revokedSince: 'open',
  invalid: 'failed',
  undecided: 'open',
};

const marks: Readonly<Record<CheckResult, string>> = { passed: '✓', failed: '✗', open: '–' };

/** Language and look of a page. */
export interface Frame {
  readonly language: Language;
  readonly brand: Brand;
}

/** Name as the pages of a citizen write it: the family name first. */
export function signerName(signer: NonNullable<Signed['signer']>): string {
  return `${signer.surname} ${signer.givenName}`;
}

/** Page of a completed session. */
export function verificationPage(verification: Verification, frame: Frame): string {
  const { language } = frame;
  const t = texts[language];
  if (verification.kind === 'unsigned') {
    return documentPage(frame, [
      banner('failed', t.unsigned),
      checkList(verification.checks, language),
    ]);
  }
  return documentPage(
    frame,
    [
      banner(
        verdictResults[verification.verdict],
        t.verdict[verification.verdict],
        html`<p class="of-file" hidden><a href="#file">${t.file.title}</a></p>`,
      ),
      subject(verification, language),
      checkList(verification.checks, language),
      fileBox(verification, language),
      scriptless,
      startLink(language),
    ],
    { hasScript: true },
  );
}

/** Page for unknown, open and withdrawn sessions alike. */
export function notFoundPage(frame: Frame): string {
  const { language } = frame;
  return documentPage(frame, [banner('open', texts[language].notFound), startLink(language)]);
}

/** Page during an outage of the log. */
export function unavailablePage(frame: Frame): string {
  return documentPage(frame, [banner('open', texts[frame.language].unavailable)]);
}

/** Frame of the verification pages. */
export function documentPage(
  { language, brand }: Frame,
  sections: readonly Html[],
  { hasScript = false }: { readonly hasScript?: boolean } = {},
): string {
  const t = texts[language];
  const { style, script } = assets;
  const page = html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${t.title} · ${brand.name[language]}</title>
        <link rel="icon" href="${logoPath}" type="${brand.logo.contentType}" />
        <link
          rel="stylesheet"
          href="/verify/assets/${style.fileName}"
          integrity="${style.integrity}"
        />
        ${themeLink(brand)}
        ${
          hasScript
            ? html`<script
                src="/verify/assets/${script.fileName}"
                integrity="${script.integrity}"
                defer
              ></script>`
            : null
        }
      </head>
      <body>
        <header>
          <p class="brand"><img src="${logoPath}" alt="" />${brand.name[language]}</p>
          <nav>${languages.map((each) => languageLink(each, language))}</nav>
        </header>
        <main>${sections}</main>
        <footer><p>${t.footer}</p></footer>
      </body>
    </html> `;
  return page.text;
}

/** Link to the page where another verification starts. */
function startLink(language: Language): Html {
  return html`<p><a href="/verify?lang=${language}">${texts[language].another}</a></p>`;
}

function languageLink(each: Language, current: Language): Html {
  const { languageName } = texts[each];
  return each === current
    ? html`<span lang="${each}" aria-current="true">${languageName}</span>`
    : html`<a lang="${each}" hreflang="${each}" href="?lang=${each}">${languageName}</a>`;
}

/** Verdict at the top. @param ofFile what the script fills in for a file that is chosen */
function banner(
  result: CheckResult,
  [title, text]: readonly [string, string],
  ofFile: Content = null,
): Html {
  return html`<section class="verdict ${result}">
    <h1>${title}</h1>
    <p class="of-session">${text}</p>
    ${ofFile}
  </section>`;
}

function subject(verification: Signed, language: Language): Html {
  const t = texts[language];
  const { signer, organization, fileName, relyingPartyName, sessionId } = verification;
  const represented = organization && `${organization.name} · ${organization.etsi}`;
  const name = signer === null ? t.signerForgotten : signerName(signer);
  return html`<section>
    ${facts([
      [t.labels.signer, name],
      [t.labels.organization, represented],
      [t.labels.document, fileName],
      [t.labels.relyingParty, relyingPartyName],
      [t.labels.session, code(sessionId)],
    ])}
  </section>`;
}

function checkList(checks: readonly Check[], language: Language): Html {
  return html`<ol>
    ${checks.map((check) => checkItem(check, language))}
  </ol>`;
}

function checkItem(check: Check, language: Language): Html {
  const t = texts[language];
  const [title, question] = t.checks[check.name];
  const { name, result } = check;
  const answer = name === 'timestamp' && result === 'open' ? t.notYet : t.results[result];
  return html`<li>
    <section class="check" data-check="${check.name}" data-result="${result}">
      <span class="result ${result}" aria-hidden="true">${marks[result]}</span>
      <div>
        <h2>${title}</h2>
        <p><span class="question">${question}</span> <strong>${answer}</strong></p>
        ${evidence(check, language)}
      </div>
    </section>
  </li>`;
}

function evidence(check: Check, language: Language): Html {
  const { labels, statuses, chainForgotten, ...t } = texts[language];
  switch (check.name) {
    case 'outcome':
      return facts([
        [labels.outcome, outcomeText(check.endResult, language)],
        [check.result === 'passed' ? labels.completedAt : labels.endedAt, time(check.completedAt)],
      ]);
    case 'signature':
      return facts([
        [labels.digest, html`${hashNames[check.hash]} ${code(check.digest)}`],
        [labels.algorithm, check.algorithm],
      ]);
    case 'chain':
      return html`${check.result === 'open' ? html`<p>${chainForgotten}</p>` : null}
      ${facts([
        [labels.serial, code(check.serial)],
        // Allows a line break between the parts of a long name.
        [labels.issuer, check.issuer.replaceAll(/(?<!\\),/g, ', ')],
        [labels.level, t.levels[check.level]],
        [labels.validity, html`${time(check.notBefore)} – ${time(check.notAfter)}`],
        [labels.root, html`SHA-256 ${code(check.rootFingerprint)}`],
      ])}`;
    case 'revocation':
      return facts([
        [labels.atSigning, statuses[check.atSigning]],
        [labels.now, html`${statuses[check.now]} (${time(check.checkedAt)})`],
        [labels.since, check.since === null ? null : time(check.since)],
        [labels.reason, check.reason === null ? null : (t.reasons[check.reason] ?? check.reason)],
      ]);
    case 'timestamp':
      return timestampEvidence(check, language);
    default:
      return unreachable(check);
  }
}

function timestampEvidence(
  { stated, result, recordedAt }: Extract<Check, { name: 'timestamp' }>,
  language: Language,
): Html {
  const { labels, noTimestamp, timestampWrong } = texts[language];
  const recorded = [labels.recordedAt, time(recordedAt)] as const;
  if (stated === null) {
    return html`<p>${result === 'open' ? noTimestamp : timestampWrong}</p>
      ${facts([recorded])}`;
  }
  return facts([
    [labels.time, time(stated.time)],
    [labels.authority, stated.authority],
    [labels.policy, code(stated.policy)],
    [labels.serial, code(stated.serial)],
    recorded,
  ]);
}

function outcomeText(endResult: EndResult, language: Language): string {
  const { endResults } = texts[language];
  return endResults[endResult] ?? endResults.other;
}

/** Names of NIST and Web Crypto. */
const hashNames: Readonly<Record<HashAlgorithm, string>> = {
  SHA256: 'SHA-256',
  SHA384: 'SHA-384',
  SHA512: 'SHA-512',
  'SHA3-256': 'SHA3-256',
  'SHA3-384': 'SHA3-384',
  'SHA3-512': 'SHA3-512',
};

/** Copies whose digests are on the page. */
const MOST_SHOWN = 200;

/** True when more copies were made than the page holds: it then asks for the digest of a file. */
function hasOthers(made: readonly string[]): boolean {
  return made.length > MOST_SHOWN;
}

/** True for a page that asks the service. */
export function asksForDigests(verification: Verification): boolean {
  return verification.kind === 'signed' && hasOthers(verification.file.made);
}

/** Drop box for a file; shown by the script. */
function fileBox(
  { sessionId, file: { kind, hash, digest, made } }: Signed,
  language: Language,
): Html {
  // Browsers do not compute these: there, only copies of the platform are known.
  const isComputed = !hash.startsWith('SHA3-');
  const isWhole = kind === 'signed' && isComputed;
  const { title, choose, privacy, asked, added, signedPart, ...said } = texts[language].file;
  return html`<section
    class="file"
    id="file"
    hidden
    data-hash="${isComputed ? hashNames[hash] : ''}"
    data-digest="${digest}"
    data-made="${made.slice(0, MOST_SHOWN).join(' ')}"
    data-others="${hasOthers(made) ? `/verify/${sessionId}/made/` : ''}"
    data-whole="${kind === 'signed' ? 'same' : 'stamped'}"
    data-otherwise="${isWhole ? 'different' : 'unknown'}"
    ${Object.entries({ ...said, ...added.kinds }).map(
      ([name, text]) => html`data-${name}="${text}" `,
    )}
  >
    <h2>${title}</h2>
    <label><span class="choose">${choose}</span><input type="file" /></label>
    <p class="chosen"></p>
    <output aria-live="polite"></output>
    <div class="added" hidden>
      <p>${added.title}</p>
      <ul></ul>
      <p><a download="signed.pdf">${signedPart}</a></p>
    </div>
    <p class="question">${hasOthers(made) ? asked : privacy}</p>
  </section>`;
}

/** Definition list of labels and values; nulls are left out. */
function facts(rows: readonly (readonly [label: string, value: Content])[]): Html {
  const shown = rows.filter(([, value]) => value !== null);
  return html`<dl>
    ${shown.map(
      ([label, value]) =>
        html`<div>
          <dt>${label}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

function code(text: string): Html {
  return html`<code>${text}</code>`;
}

/** Local time, of which readers see the zone. */
export function time(iso: string): Html {
  return html`<time datetime="${iso}">${localTime.format(new Date(iso))} (UTC+8)</time>`;
}

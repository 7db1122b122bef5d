import { z } from 'zod';
import { anyone } from '../http/handling.ts';
import { type Route, route } from '../http/route.ts';
import { assetRoute, builtAsset } from '../pages/assets.ts';
import { type Brand, logoPath, themeLink } from '../pages/brand.ts';
import { html } from '../pages/html.ts';
import { scriptless } from '../pages/scriptless.ts';
import { chooseLanguage, type Language } from '../verify/texts.ts';

const style = builtAsset('assistant.css');
const script = builtAsset('assistant.js');

/** Same-origin files and requests only, and audio from blobs. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  'media-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const mn = {
  title: 'Цахим таних системийн туслах',
  welcome: 'Сайн байна уу? Цахим үнэмлэх, гарын үсгийн талаар асууна уу.',
  label: 'Таны асуулт',
  send: 'Илгээх',
  talk: 'Дарж ярих',
  listen: 'Сонсох',
  hush: 'Зогсоох',
  thinking: 'Хариулж байна…',
  recording: 'Сонсож байна… Суллахад илгээнэ.',
  failed: 'Хариу авч чадсангүй. Дахин оролдоно уу.',
  limited: 'Хэт олон асуулт илгээлээ. Нэг минут хүлээнэ үү.',
  unheard: 'Яриа сонсогдсонгүй. Дахин оролдоно уу.',
  muted: 'Микрофон ашиглах боломжгүй байна.',
  silent: 'Одоогоор уншиж өгөх боломжгүй байна.',
  notice: 'Хариултыг хиймэл оюун бичдэг тул алдаатай байж болно. ПИН код, нууц үгээ бүү бичнэ үү.',
};

const en: typeof mn = {
  title: 'Assistant of the electronic identity',
  welcome: 'Hello. Ask about your electronic identity and signatures.',
  label: 'Your question',
  send: 'Send',
  talk: 'Hold to talk',
  listen: 'Listen',
  hush: 'Stop',
  thinking: 'Answering…',
  recording: 'Listening… Let go to send.',
  failed: 'No answer came. Please try again.',
  limited: 'Too many questions. Please wait a minute.',
  unheard: 'Nothing was heard. Please try again.',
  muted: 'The microphone cannot be used.',
  silent: 'It cannot be read aloud at the moment.',
  notice: 'Answers are written by a machine and may be wrong. Never write a PIN or a password.',
};

const texts: Readonly<Record<Language, typeof mn>> = { mn, en };

function page(language: Language, brand: Brand): string {
  const t = texts[language];
  const other =
    language === 'mn'
      ? html`<a href="?lang=en" lang="en" hreflang="en">English</a>`
      : html`<a href="?lang=mn" lang="mn" hreflang="mn">Монгол</a>`;
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${t.title} · ${brand.name[language]}</title>
        <link rel="icon" href="${logoPath}" type="${brand.logo.contentType}" />
        <link
          rel="stylesheet"
          href="assistant/assets/${style.fileName}"
          integrity="${style.integrity}"
        />
        ${themeLink(brand)}
        <script
          src="assistant/assets/${script.fileName}"
          integrity="${script.integrity}"
          defer
        ></script>
      </head>
      <body>
        <header>
          <p class="brand"><img src="${logoPath}" alt="" />${brand.name[language]}</p>
          <nav aria-label="Хэл, language">${other}</nav>
        </header>
        <main>
          <h1>${t.title}</h1>
          <div id="log" role="log" aria-live="polite" aria-label="${t.title}" tabindex="0">
            <p class="model">${t.welcome}</p>
          </div>
          <form
            id="ask"
            data-thinking="${t.thinking}"
            data-recording="${t.recording}"
            data-failed="${t.failed}"
            data-limited="${t.limited}"
            data-unheard="${t.unheard}"
            data-muted="${t.muted}"
            data-silent="${t.silent}"
            data-listen="${t.listen}"
            data-hush="${t.hush}"
          >
            <label for="message">${t.label}</label>
            <textarea id="message" rows="2" maxlength="1000" required></textarea>
            <button id="talk" type="button" aria-pressed="false" hidden>${t.talk}</button>
            <button id="send" type="submit">${t.send}</button>
            <p id="status" role="status"></p>
          </form>
          ${scriptless}
        </main>
        <footer>${t.notice}</footer>
      </body>
    </html> `.text;
}

/** `GET /assistant`: page of the public chat, and its files. */
export function widgetRoutes(brand: Brand): readonly Route[] {
  return [
    assetRoute(
      'assistantStyle',
      "Get the style sheet of the assistant's page",
      '/assistant/assets',
      style,
    ),
    assetRoute(
      'assistantScript',
      "Get the script of the assistant's page",
      '/assistant/assets',
      script,
    ),
    route({
      name: 'assistant',
      summary: 'Show the page of the public chat',
      method: 'GET',
      path: '/assistant',
      guard: anyone,
      query: z.object({ lang: z.string().optional().catch(undefined) }),
      response: { 200: 'text/html; charset=utf-8' },
      handle: ({ query, context }) => {
        const language = chooseLanguage(query.lang, context.headers['accept-language']);
        return {
          body: Buffer.from(page(language, brand)),
          contentType: 'text/html; charset=utf-8',
          headers: {
            'content-security-policy': contentSecurityPolicy,
            'content-language': language,
            vary: 'accept-language',
          },
        };
      },
    }),
  ];
}

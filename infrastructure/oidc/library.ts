import type { default as LibraryProvider } from 'oidc-provider';

const notices: string[] = [];

/** What the library writes to the console while it is loaded; it has no other way to say it. */
export const libraryNotices: readonly string[] = notices;

const { console: terminal } = globalThis;
const { warn } = terminal;
terminal.warn = (...words: unknown[]) => {
  if (String(words[0]).includes('oidc-provider')) notices.push(words.join(' '));
  else warn.apply(terminal, words);
};
const library = await import('oidc-provider').finally(() => {
  terminal.warn = warn;
});

/** The certified library, loaded here alone so that its notices reach the log. */
export const { default: Provider, ExternalSigningKey, errors, interactionPolicy } = library;

export type Provider = LibraryProvider;

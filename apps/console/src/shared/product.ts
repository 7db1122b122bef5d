import { useEffect } from 'react';
import { useLanguage } from './texts.ts';

/** Name of the service in the current language, which the operator chose (`SVC_BRAND_NAME`). */
export function useProduct(): string {
  const language = useLanguage();
  const name = `meta[name="application-name"][lang="${language}"]`;
  return document.querySelector<HTMLMetaElement>(name)?.content ?? '';
}

/** Names the window after a page and the service. */
export function useWindowTitle(title: string): void {
  const product = useProduct();
  useEffect(() => {
    document.title = `${title} · ${product}`;
  }, [title, product]);
}

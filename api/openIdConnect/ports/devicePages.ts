import type { HostedPage, PageReader } from './oidcPages.ts';

/** Names of a client in both languages. */
interface NamedClient {
  readonly name: string;
  readonly nameEn: string | null;
}

/** Form target, and the token that comes with it. */
interface CodeForm {
  readonly action: string;
  readonly xsrf: string;
}

/** Pages of the device authorization grant (RFC 8628 §3.3), all of them opened with a browser. */
export interface DevicePages {
  /** Asks for the `user_code`. @param form with what was typed, and what is wrong with it; null: nothing */
  userCode(
    reader: PageReader,
    form: CodeForm & { readonly typed: string; readonly fault: 'fault' | 'busy' | null },
  ): HostedPage;
  /** Asks whether the device is the reader's: `confirm=yes` or `abort=yes` beside `user_code` (RFC 8628 §5.4). */
  confirmCode(
    reader: PageReader,
    form: CodeForm & { readonly userCode: string; readonly client: NamedClient },
  ): HostedPage;
  connected(reader: PageReader, client: NamedClient): HostedPage;
  refused(reader: PageReader): HostedPage;
}

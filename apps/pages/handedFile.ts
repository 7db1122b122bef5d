// Hands a file's digest from the start page to the page of a session, in storage of this tab that only the service's own
// pages write. An address would not do: anybody makes a link, and the page would say yes to a file that nobody gave it.

/** File that was chosen on the start page. */
export interface HandedFile {
  readonly name: string;
  /** Lower-case hexadecimal; empty where the browser hashes nothing. */
  readonly sha256: string;
}

/** Keeps the file for the page of a session; without storage nothing is kept, and that page asks for the file. */
export function handFile(sessionId: string, { name, sha256 }: HandedFile): void {
  try {
    sessionStorage.setItem(keyOf(sessionId), `${sha256} ${name}`);
  } catch {
    // A browser may refuse storage.
  }
}

/** Takes the file that was handed to the page of a session, once. @returns null when there is none */
export function takeFile(sessionId: string): HandedFile | null {
  try {
    const kept = sessionStorage.getItem(keyOf(sessionId));
    sessionStorage.removeItem(keyOf(sessionId));
    const [, sha256, name] = /^([0-9a-f]{64}|) (.*)$/s.exec(kept ?? '') ?? [];
    return sha256 === undefined || name === undefined ? null : { name, sha256 };
  } catch {
    return null;
  }
}

function keyOf(sessionId: string): string {
  return `tamga.verify.${sessionId}`;
}

import type { Directory } from '../directory/ports/directory.ts';

/** E-mail address of a citizen in the directory; null: none, or during an outage. */
export type EmailOf = (civilId: string) => Promise<string | null>;

export function createEmailOf({
  directory,
  onFailure,
}: {
  /** Null: not configured. */
  readonly directory: Pick<Directory, 'person'> | null;
  /** Called during an outage; the login continues. */
  readonly onFailure: (cause: unknown) => void;
}): EmailOf {
  return async (civilId) => {
    try {
      return (await directory?.person({ type: 'civilId', civilId }))?.email ?? null;
    } catch (cause) {
      onFailure(cause);
      return null;
    }
  };
}

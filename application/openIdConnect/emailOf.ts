import type { Directory } from '../ports/directory.ts';

/** The e-mail address of a citizen, as the directory has it; null: it has none, or does not answer. */
export type EmailOf = (civilId: string) => Promise<string | null>;

export function createEmailOf({
  directory,
  onFailure,
}: {
  /** Null: none is configured. */
  readonly directory: Pick<Directory, 'person'> | null;
  /** It did not answer; a login does not fail for that. */
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

/** Placeholder for a text field of a person whose key was destroyed. */
export const FORGOTTEN = '[forgotten]';

/**
 * Declares, for one event type, which fields of `data` are personal and whose they are.
 *
 * The codec encrypts exactly the fields named in `placeholders` under the key of `subject` (the person's civil id; `null`
 * means the platform's own key: confidential, but nobody's in particular). After that key is destroyed each field reads
 * as its placeholder.
 */
export interface PersonalFields<Data extends object = object> {
  readonly subject: (data: Data) => string | null;
  readonly placeholders: Partial<Data>;
}

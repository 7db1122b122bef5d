/** The stream moved on: somebody else appended first. `handleCommand` loads again and decides again. */
export class RevisionConflict extends Error {
  override readonly name = 'RevisionConflict';
  readonly stream: string;

  constructor(stream: string) {
    super(`The stream ${stream} is not at the expected revision.`);
    this.stream = stream;
  }
}

/** The systems the platform depends on, as `/readyz` and the metrics name them. */
export type Dependency =
  | 'eventStore'
  | 'database'
  | 'redis'
  | 'keyVault'
  | 'push'
  | 'civilRegistry'
  | 'organizationRegistry'
  | 'dan'
  | 'certificateStatus'
  | 'timestamping'
  | 'revocationLists'
  | 'embeddings'
  | 'speechToText'
  | 'textToSpeech'
  | 'fileStore'
  | 'fileScanner';

/** A dependency does not answer. On the wire: 503 with Retry-After. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
  readonly dependency: Dependency;

  constructor(dependency: Dependency, cause?: unknown) {
    super(`${dependency} is unavailable.`, cause === undefined ? undefined : { cause });
    this.dependency = dependency;
  }
}

/** More work is waiting than can be done in time; nothing was done. On the wire: 503 with Retry-After. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';

  constructor(what: string) {
    super(`Too many waiting: ${what}.`);
  }
}

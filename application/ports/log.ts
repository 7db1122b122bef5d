/** Fields of one log line: small, JSON, no personal data, no secrets. `err` is an Error, serialised with its cause. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The structured log. Writing never throws or blocks. */
export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

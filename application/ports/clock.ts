/** The time. Tests turn it by hand. */
export interface Clock {
  now(): Date;
}

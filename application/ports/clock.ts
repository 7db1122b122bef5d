/** The time; set by hand in tests. */
export interface Clock {
  now(): Date;
}

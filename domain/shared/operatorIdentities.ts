/** Operator id of callers with the break-glass key, which names nobody. */
export const BREAK_GLASS = 'break-glass';

/** Operator id of callers without an account, where the development profile is open to all. */
export const DEVELOPMENT = 'development';

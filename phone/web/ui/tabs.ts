/** What the citizen looks at while nothing is asked. */
export type Tab = 'home' | 'scan' | 'link' | 'history' | 'account';

/** Those with a place in the bar. */
export const barTabs = ['home', 'scan', 'history', 'account'] as const satisfies readonly Tab[];

/** Screens between requests. */
export type Tab = 'home' | 'scan' | 'link' | 'history' | 'account';

/** Tabs of the bar. */
export const barTabs = ['home', 'scan', 'history', 'account'] as const satisfies readonly Tab[];

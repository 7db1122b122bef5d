import type { Icon } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { z } from './zod.ts';
import type { Capability } from './account.ts';
import type { Texts } from './texts.ts';

/** A page of the console. Who lacks the capability gets the page that says so instead. */
export interface AreaPage {
  /** `$name` stands for a step that varies: `/relying-parties/$id`. */
  readonly path: string;
  readonly capability?: Capability;
  /** What the address keeps behind the question mark; what does not fit takes its default. */
  readonly search?: z.ZodType<object>;
  /** Loaded when the page is first opened. */
  readonly load: () => Promise<{ readonly default: ComponentType }>;
}

/** Parts of the navigation, in the order they are shown. */
export const navSections = ['overview', 'people', 'parties', 'control', 'platform'] as const;
export type NavSection = (typeof navSections)[number];

export interface NavEntry {
  readonly section: NavSection;
  readonly path: string;
  readonly icon: Icon;
  readonly capability?: Capability;
  readonly texts: Texts<'nav'>;
  /** How many things wait there; shown beside the name. */
  readonly useCount?: () => number | undefined;
}

/** A part of the console that one folder holds: pages, texts, entries of the navigation. */
export interface Area {
  readonly pages: readonly AreaPage[];
  readonly nav: readonly NavEntry[];
}

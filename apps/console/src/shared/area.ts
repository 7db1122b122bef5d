import type { Icon } from '@tabler/icons-react';
import { type ComponentType, createContext } from 'react';
import type { z } from './zod.ts';
import type { Account, Capability } from './account.ts';
import type { NamedKind } from './names.tsx';
import type { Texts } from './texts.ts';

/** A page of the console. Without its capability a page that says so is shown. */
export interface AreaPage {
  /** Path; `$name` is a parameter: `/relying-parties/$id`. */
  readonly path: string;
  readonly capability?: Capability;
  /** Schema of the query; invalid values take their default. */
  readonly search?: z.ZodType<object>;
  /** Kind of thing whose ids link here, in place of the path's last step; omitted: none. */
  readonly shows?: NamedKind;
  /** Loads the page when it is first opened. */
  readonly load: () => Promise<{ readonly default: ComponentType }>;
}

/** Sections of the navigation, in order. */
export const navSections = ['overview', 'people', 'parties', 'control', 'platform'] as const;
export type NavSection = (typeof navSections)[number];

export interface NavEntry {
  readonly section: NavSection;
  readonly path: string;
  readonly icon: Icon;
  readonly capability?: Capability;
  readonly texts: Texts<'nav'>;
  /** Number of pending items, shown beside the name. */
  readonly useCount?: () => number | undefined;
}

/** An area of the console, in one folder: pages, texts, navigation entries. */
export interface Area {
  readonly pages: readonly AreaPage[];
  readonly nav: readonly NavEntry[];
  /** True where the installation has no use for it: it is in no menu then. Default: never. */
  readonly isOff?: (account: Account) => boolean;
}

/** Every area of the console, for links to a page of another one. */
export const AreasContext = createContext<readonly Area[]>([]);

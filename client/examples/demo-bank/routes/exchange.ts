import type { Request, Response } from 'express';
import type { EidClient } from '@tamga/client';
import { type View, viewOf } from '../pages/view.ts';
import type { BankSettings } from '../settings.ts';
import type { Excerpt } from '../sources.ts';
import type { Visitor, Visitors } from '../visitors.ts';

/** Dependencies of every route. */
export interface Bank {
  readonly client: EidClient;
  readonly settings: BankSettings;
  readonly visitors: Visitors;
  readonly excerpts: ReadonlyMap<string, Excerpt>;
}

/** Visitor of a request, set by the first middleware. */
export function visitorOf(response: Response): Visitor {
  return response.locals['visitor'] as Visitor;
}

export function viewFor(bank: Bank, response: Response): View {
  return viewOf(bank, visitorOf(response));
}

/** Trimmed field of a form; empty when absent. */
export function field(request: Request, name: string): string {
  const value = (request.body as Record<string, unknown> | undefined)?.[name];
  return typeof value === 'string' ? value.trim() : '';
}
